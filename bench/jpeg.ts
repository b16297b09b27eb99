/**
 * Bytes of our JPEG encoder at equal SSIMULACRA 2.1 score against its peers, per image and as geometric means.
 * Usage: node bench/jpeg.ts DIR [--images N] [--targets 60,70,75,80,85] [--cjpegli PATH] [--butteraugli PATH]
 * A peer's bytes at a score lie between those of two neighbouring qualities, interpolated by the logarithm; ours are
 * those of the file the search returns, whose score is at least the target.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import sharp, { type JpegOptions } from 'sharp'
import { searchJpeg } from '../src/jpeg/search/closed-loop.ts'
import { openSsimulacra2, type Ssimulacra2Reference } from '../src/metric/ssimulacra2/ssimulacra2.ts'
import { openButteraugli } from './corpus/butteraugli.ts'
import { MOZJPEG } from './corpus/peers.ts'

type Image = { data: Uint8Array; width: number; height: number; channels: 3 }
type Encode = (image: Image, quality: number) => Promise<Uint8Array>
type Row = {
  image: string
  target: number
  score: number
  pixels: number
  /** Times a picture was judged. */
  trials: number
  ratios: Record<string, number>
  cpu: number
  butteraugli?: number
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    images: { type: 'string' },
    targets: { type: 'string', default: '60,70,75,80,85' },
    cjpegli: { type: 'string' },
    butteraugli: { type: 'string' },
  },
})
const directory = positionals[0]
if (!directory) throw new Error('Say which directory of images: node bench/jpeg.ts DIR')
const targets = values.targets.split(',').map(Number)
const scratch = mkdtempSync(join(tmpdir(), 'bench-jpeg-'))
sharp.concurrency(1)
sharp.cache(false)

const raw = ({ data, width, height, channels }: Image) => sharp(data, { raw: { width, height, channels } })
const bySharp =
  (options: JpegOptions): Encode =>
  async (image, quality) =>
    new Uint8Array(
      await raw(image)
        .jpeg({ ...options, quality })
        .toBuffer(),
    )

const toPng = async (image: Image, name: string): Promise<string> => {
  const path = join(scratch, name)
  await raw(image).png({ compressionLevel: 1 }).toFile(path)
  return path
}

const byCjpegli: Encode = async (image, quality) => {
  const [from, to] = [await toPng(image, 'in.png'), join(scratch, 'out.jpg')]
  execFileSync(values.cjpegli!, [from, to, '-q', String(quality), '--chroma_subsampling=420'], { stdio: 'ignore' })
  return new Uint8Array(readFileSync(to))
}

const peers: Record<string, Encode> = {
  'sharp default': bySharp({}),
  mozjpeg: bySharp({ mozjpeg: true }),
  'mozjpeg table 5': bySharp({ mozjpeg: true, quantisationTable: 5 }),
  ...(values.cjpegli && { cjpegli: byCjpegli }),
}

const load = async (name: string): Promise<Image> => {
  const source = sharp(join(directory, name)).flatten({ background: '#fff' }).toColourspace('srgb').removeAlpha()
  const { data, info } = await source.raw().toBuffer({ resolveWithObject: true })
  if (info.channels !== 3) throw new Error(`${name} has ${info.channels} channels`)
  return { data: new Uint8Array(data), width: info.width, height: info.height, channels: 3 }
}

const decode = async (bytes: Uint8Array): Promise<Uint8Array> =>
  new Uint8Array(await sharp(bytes).toColourspace('srgb').raw().toBuffer())

/** Bytes a peer needs for a score, by bisection over its whole qualities; remembers what it encoded. */
const bytesFor = (image: Image, reference: Ssimulacra2Reference, encode: Encode) => {
  const known = new Map<number, { score: number; bytes: number }>()
  const at = async (quality: number) => {
    const had = known.get(quality)
    if (had) return had
    const bytes = await encode(image, quality)
    const one = { score: reference.compare({ ...image, data: await decode(bytes) }), bytes: bytes.length }
    known.set(quality, one)
    return one
  }
  return async (target: number): Promise<number> => {
    let [low, high] = [1, 99]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((await at(middle)).score < target) low = middle
      else high = middle
    }
    const [a, b] = [await at(low), await at(high)]
    const part = Math.max(0, Math.min(1, (target - a.score) / (b.score - a.score)))
    return Math.exp(Math.log(a.bytes) * (1 - part) + Math.log(b.bytes) * part)
  }
}

/** Milliseconds of CPU, all threads, that `work` takes. */
const cpuOf = async <T>(work: () => T | Promise<T>): Promise<{ value: T; ms: number }> => {
  const before = process.cpuUsage()
  const value = await work()
  const { user, system } = process.cpuUsage(before)
  return { value, ms: (user + system) / 1000 }
}

const butteraugli = values.butteraugli === undefined ? undefined : openButteraugli(values.butteraugli)
const judge = await openSsimulacra2()

const benchImage = async (name: string): Promise<Row[]> => {
  const image = await load(name)
  const { value: reference, ms: preparing } = await cpuOf(() => judge.prepare(image))
  const needs = Object.fromEntries(
    Object.entries(peers).map(([peer, encode]) => [peer, bytesFor(image, reference, encode)]),
  )
  const { ms: once } = await cpuOf(() => peers.mozjpeg!(image, 75))
  const rows: Row[] = []
  for (const target of targets) {
    const { value: found, ms } = await cpuOf(() => searchJpeg(image, reference, { target }))
    if (!found) throw new Error(`${name} is too large`)
    const score = reference.compare({ ...image, data: await decode(found.bytes) })
    const ratios: Record<string, number> = {}
    for (const peer of Object.keys(peers)) ratios[peer] = found.bytes.length / (await needs[peer]!(target))
    const pixels = image.width * image.height
    const row: Row = { image: name, target, score, pixels, trials: found.trials, ratios, cpu: (ms + preparing) / once }
    if (butteraugli) row.butteraugli = await butteraugli.ratioAtEqualBytes(image, found.bytes, MOZJPEG.encode)
    rows.push(row)
    const figures = Object.entries(ratios).map(([peer, ratio]) => `${peer} ${ratio.toFixed(3)}`)
    const opinion = row.butteraugli ? ` butteraugli ${row.butteraugli.toFixed(3)}` : ''
    console.log(
      `${name} ${target} → ${score.toFixed(2)} in ${found.trials}, quality ${found.quality.toFixed(0)}: ${figures.join(', ')}, cpu ${row.cpu.toFixed(2)}${opinion}`,
    )
  }
  reference.free()
  return rows
}

const mean = (list: number[]): number => Math.exp(list.reduce((sum, v) => sum + Math.log(v), 0) / list.length)
const total = (list: number[]): number => list.reduce((sum, v) => sum + v, 0)
const quantile = (list: number[], part: number): number =>
  list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * part))]!

/** Probes of an image, of a pixel, and how far above the target the scores came out. */
const describeSearch = (own: Row[]): string => {
  const over = own.map((row) => row.score - row.target)
  const byArea = total(own.map((row) => row.trials * row.pixels)) / total(own.map((row) => row.pixels))
  const trials = `${(total(own.map((row) => row.trials)) / own.length).toFixed(2)} trials an image, ${byArea.toFixed(2)} a pixel`
  const near = over.filter((v) => v >= 0 && v <= 0.3).length
  return `${trials}; above the target ${quantile(over, 0.5).toFixed(2)} in the median, ${near} of ${own.length} at most 0.3, ${Math.max(...over).toFixed(2)} at most`
}

/** Geometric mean with the middle 95 % of 2000 resamples of the images. */
const summarise = (list: number[]): string => {
  let state = 12345
  const next = (): number => {
    state = (state * 48271) % 2147483647
    return state
  }
  const means = Array.from({ length: 2000 }, () => mean(list.map(() => list[next() % list.length]!))).sort(
    (a, b) => a - b,
  )
  return `${mean(list).toFixed(3)} [${means[50]!.toFixed(3)}, ${means[1949]!.toFixed(3)}]`
}

const names = readdirSync(directory).filter((name) => /\.(png|jpe?g|webp|tiff?)$/i.test(name))
const every = Math.max(1, Math.floor(names.length / Number(values.images ?? names.length)))
const rows: Row[] = []
// One image beforehand, so that no figure counts the compiling of the kernels.
searchJpeg(await load(names[0]!), judge.prepare(await load(names[0]!)), { target: 70 })
for (const name of names.filter((_, i) => i % every === 0)) rows.push(...(await benchImage(name)))

for (const target of targets) {
  const own = rows.filter((row) => row.target === target)
  const lines = Object.keys(peers).map((peer) => `${peer} ${summarise(own.map((row) => row.ratios[peer]!))}`)
  const opinions = own.flatMap((row) => row.butteraugli ?? [])
  if (opinions.length > 0) lines.push(`butteraugli at equal bytes ${summarise(opinions)}`)
  const cpu = own.map((row) => row.cpu)
  console.log(`\n${target} (${own.length} images: ${describeSearch(own)})\n  ${lines.join('\n  ')}`)
  console.log(`  cpu ${summarise(cpu)}, median ${quantile(cpu, 0.5).toFixed(2)}`)
}
butteraugli?.[Symbol.dispose]()
rmSync(scratch, { recursive: true })
