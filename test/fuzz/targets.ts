import sharp from 'sharp'
import { readPngChunks } from '../../src/containers/png.ts'
import { withRights } from '../../src/containers/rights/embed.ts'
import { stripMetadata } from '../../src/containers/strip/strip.ts'
import { Failure, fail } from '../../src/core/failure.ts'
import { JpegRefusal } from '../../src/jpeg/bitstream/refusal.ts'
import { JxlRefusal, jxlFromJpeg } from '../../src/jxl/from-jpeg.ts'
import { parseOptions } from '../../src/options/parse.ts'
import { identify } from '../../src/source/identify.ts'
import { readImageUrl } from '../../src/source/image-url.ts'
import { splitMultipart } from '../../src/source/multipart.ts'
import { readMarkup } from '../../src/svg/read-markup.ts'
import { sanitiseSvg } from '../../src/svg/sanitise.ts'
import { survive } from '../jpeg/survive.ts'
import { filesIn, inFile } from './corpus.ts'
import { MCP_CORPUS, speakMcp } from './mcp-target.ts'
import { decodeWhole, fitGainMap, readFrames, readRights } from './reader-targets.ts'

/** Something that meets a stranger's bytes: whatever they are it answers, or refuses by a Failure; nothing else escapes. */
export interface FuzzTarget {
  /** Well-formed inputs that damage starts from. */
  readonly corpus: readonly Uint8Array[]
  readonly run: (bytes: Uint8Array) => unknown
}

const texts = (...lines: string[]): Uint8Array[] => lines.map((line) => new TextEncoder().encode(line))
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

const jpegs = filesIn('jpeg', /\.jpg$/)
const pngs = filesIn('motion', /\.png$/)
const gifs = filesIn('motion', /\.gif$/)
const svgs = filesIn('svg', /\.svg$/)
const apngs = filesIn('motion', /^(pillow__|image__).*\.png$/)
const [squares = new Uint8Array()] = filesIn('motion', /rotating-squares\.gif$/)
const movingWebps = [await sharp(squares, { animated: true }).webp().toBuffer()]
const [photo = new Uint8Array()] = filesIn('jpeg', /kodim23-190x158\.png$/)
const tiffs = [
  ...filesIn('source', /\.tiff$/),
  ...(await Promise.all(
    (['lzw', 'deflate', 'jpeg'] as const).map((compression) =>
      sharp(photo)
        .resize(64)
        .tiff({ compression, tile: compression === 'lzw' })
        .toBuffer(),
    ),
  )),
]
const avifs = [await sharp(photo).resize(64).avif({ effort: 0 }).toBuffer()]
const RIGHTS = new Map([
  ['creator', ['Ada']],
  ['copyright', ['© Ada']],
] as const)
const withOwners = await Promise.all(
  (['jpeg', 'png', 'webp'] as const).map(async (format) =>
    withRights(format, await sharp(photo).resize(64).toFormat(format).toBuffer(), { rights: RIGHTS, orientation: 1 }),
  ),
)

const refuse = (): never => {
  throw fail('SOURCE_DAMAGED')
}

const BOUNDARY = 'x0x'
const FORM = texts(
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a \\"b\\".png"\r\nContent-Type: image/png\r\n\r\ndata\r\n--${BOUNDARY}--\r\n`,
  `preamble\n--${BOUNDARY}\nContent-Disposition: form-data; name=a\n\n1\n--${BOUNDARY}\r\nX: y\r\n\r\nmore --${BOUNDARY}--`,
)

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 7) yield Buffer.from(bytes.subarray(at, at + 7))
}

const strip = (format: 'jpeg' | 'png' | 'gif') => (bytes: Uint8Array) =>
  Buffer.concat([...(stripMetadata({ format, orientation: 1, profile: 'other' }, bytes) ?? [])])

/** Written as JPEG XL and shown, or refused with a reason. */
const writeJxl = (bytes: Uint8Array): void => {
  try {
    jxlFromJpeg(bytes).shown()
  } catch (error) {
    if (error instanceof JxlRefusal || error instanceof JpegRefusal) refuse()
    throw error
  }
}

/** Inside tags alone: text that looks like markup was escaped or stands outside of them. */
const ACTIVE = /<(?:script|foreignobject)\b|<[^<>]*\s(?:on[a-z]+\s*=|(?:xlink:)?href\s*=\s*["']?\s*javascript:)/i

/** By name; the part of a stranger's input that each of them reads. */
export const FUZZ_TARGETS: Readonly<Record<string, FuzzTarget>> = {
  options: {
    corpus: texts(
      '800x600,crop=auto,2x,quality=high,format=webp',
      'full,bgcolor=FFF,trim=border,timeout=3.5',
      'crop=0.5x0.3,40x50',
    ),
    run: (bytes) => parseOptions(textOf(bytes), { maxTimeout: 30 }),
  },
  'image-url': {
    corpus: texts(
      'https://ada:secret@example.com:8080/a%20b.png?x=1#f',
      'https%3A%2F%2Fexample.com%2Fa%2520b.png',
      'https:/example.com/a',
    ),
    run: (bytes) => readImageUrl(textOf(bytes)),
  },
  identify: {
    corpus: [...jpegs, ...pngs, ...gifs, ...svgs, ...filesIn('source', /\.(webp|tiff|heic|jxl|bmp|ico|psd)$/)],
    run: (bytes) => inFile(bytes, identify),
  },
  'decode-heic': { corpus: filesIn('source', /^(quarters|halves)\.heic$/), run: decodeWhole },
  'decode-jxl': { corpus: filesIn('source', /^(quarters|two-frames|grey-steps-pq)\.jxl$/), run: decodeWhole },
  'decode-bitmap': { corpus: filesIn('source', /\.(bmp|ico|psd)$/), run: decodeWhole },
  'decode-tiff': { corpus: tiffs, run: decodeWhole },
  'decode-avif': { corpus: avifs, run: decodeWhole },
  'frames-apng': { corpus: apngs, run: readFrames },
  'frames-webp': { corpus: movingWebps, run: readFrames },
  'frames-gif': { corpus: gifs, run: readFrames },
  'gain-map': { corpus: filesIn('source', /^gain-map\.jpg$/), run: fitGainMap },
  rights: { corpus: withOwners, run: readRights },
  multipart: {
    corpus: FORM,
    run: async (bytes) => {
      for await (const _piece of splitMultipart(inPieces(bytes), BOUNDARY));
    },
  },
  mcp: { corpus: MCP_CORPUS, run: speakMcp },
  'strip-jpeg': { corpus: jpegs, run: strip('jpeg') },
  'strip-png': { corpus: pngs, run: strip('png') },
  'strip-gif': { corpus: gifs, run: strip('gif') },
  'png-chunks': { corpus: pngs, run: (bytes) => [...readPngChunks(bytes)].length },
  'jpeg-as-jxl': { corpus: jpegs, run: writeJxl },
  'transcode-jpeg': { corpus: jpegs, run: (bytes) => survive(bytes) ?? refuse() },
  svg: {
    corpus: svgs,
    run: (bytes) => {
      const { markup } = sanitiseSvg(readMarkup(bytes))
      if (ACTIVE.test(markup)) throw new Error(`active content came out: ${markup.slice(0, 200)}`)
    },
  },
}

/** Runs one input; resolves with whether it was accepted, rejects with whatever escaped. */
export const fuzzOnce = async ({ run }: FuzzTarget, bytes: Uint8Array): Promise<'accepted' | 'refused'> => {
  try {
    await run(bytes)
    return 'accepted'
  } catch (error) {
    if (error instanceof Failure) return 'refused'
    throw error
  }
}
