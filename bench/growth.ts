/** Large images compared with small ones of the same content, by format and size: `npm run bench:growth -- --help`. */
import { writeFileSync } from 'node:fs'
import sharp, { type Sharp } from 'sharp'
import { startService } from '../scripts/corpus/service.ts'
import { readCommand, readNumber, readNumbers, requirePaths } from './corpus/help.ts'
import { timed } from './corpus/timed.ts'
import { mosaicOf } from './growth/mosaic.ts'
import { measureRequest, type Taken } from './growth/request.ts'

const HELP = `Large images compared with small ones of the same content: share of the source's bytes, CPU per megapixel and peak memory,
by format and size. Each figure is of one request to a fresh service. sharp is measured on the same files.

Usage: npm run bench:growth -- [options] <photographs> [<drawings>]

  --sizes LIST    megapixels (4,12,24,48,75)
  --formats LIST  jpeg, webp, avif, png (all of them)
  --timeout N     seconds that a request has (30); more shows shares and memory on a machine that other work keeps busy
  --json FILE     writes the figures
  --help          says this

Images are mosaics of 512 px cells from the folder of photographs, as JPEG of quality 92. For png they are from the folder
of drawings, as PNG, and no format is asked for.
`

const SOURCE_QUALITY = 92
const SHARP_QUALITY = 80

const { values, positionals } = readCommand(HELP, {
  allowPositionals: true,
  options: {
    sizes: { type: 'string', default: '4,12,24,48,75' },
    formats: { type: 'string', default: 'jpeg,webp,avif,png' },
    timeout: { type: 'string', default: '30' },
    json: { type: 'string' },
  },
})
const sizes = readNumbers(HELP, '--sizes', values.sizes)
readNumber(HELP, '--timeout', values.timeout)
const [photographs, drawings = photographs] = requirePaths(HELP, positionals)

// One thread, as a worker of the service has.
sharp.concurrency(1)

/** sharp's encoders, each as its users call it. */
const PEERS: Readonly<Record<string, (image: Sharp) => Sharp>> = {
  jpeg: (image) => image.jpeg({ mozjpeg: true, quality: SHARP_QUALITY }),
  webp: (image) => image.webp({ quality: SHARP_QUALITY }),
  avif: (image) => image.avif(),
  png: (image) => image.png(),
}

const sourceOf = async (format: string, megapixels: number): Promise<Buffer<ArrayBuffer>> => {
  const { data, width, height } = await mosaicOf(format === 'png' ? drawings : photographs, megapixels)
  const image = sharp(data, { raw: { width, height, channels: 3 }, limitInputPixels: false })
  return Buffer.from(await (format === 'png' ? image.png() : image.jpeg({ quality: SOURCE_QUALITY })).toBuffer())
}

interface Row extends Taken {
  readonly format: string
  readonly megapixels: number
  /** Bytes of the result over those of the source. */
  readonly share: number
  /** CPU ms of sharp's encode, decoding included. */
  readonly sharpMs: number
}

const measure = async (format: string, megapixels: number): Promise<Row> => {
  const source = await sourceOf(format, megapixels)
  const service = await startService({ MAX_TIMEOUT: values.timeout })
  try {
    // The figures leave out the compiling and loading of a fresh child.
    const small = Buffer.from(
      await sharp(source).extract({ left: 0, top: 0, width: 512, height: 512 }).png().toBuffer(),
    )
    const options = `full,timeout=${values.timeout}${format === 'png' ? '' : `,format=${format}`}`
    await measureRequest(service, options, small)
    const taken = await measureRequest(service, options, source)
    const peer = await timed(() => PEERS[format]!(sharp(source, { limitInputPixels: false })).toBuffer())
    return { ...taken, format, megapixels, share: taken.bytes / source.length, sharpMs: peer.ms }
  } finally {
    await service.stop()
  }
}

const rows: Row[] = []
for (const format of values.formats.split(','))
  for (const megapixels of sizes) {
    const row = await measure(format, megapixels)
    rows.push(row)
    console.log(
      `${format} ${megapixels} MP: ${row.status}, share ${row.share.toFixed(3)}, ${row.seconds.toFixed(1)} s, ` +
        `CPU ${(row.cpuMs / megapixels).toFixed(0)} ms/MP, sharp ${(row.sharpMs / megapixels).toFixed(0)} ms/MP ` +
        `(${(row.cpuMs / row.sharpMs).toFixed(2)}), peak ${row.peakMb.toFixed(0)} MB ${row.warning}`,
    )
  }
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(rows, null, 2)}\n`)
