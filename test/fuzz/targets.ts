import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readPngChunks } from '../../src/containers/png.ts'
import { stripMetadata } from '../../src/containers/strip/strip.ts'
import { Failure, fail } from '../../src/core/failure.ts'
import { parseOptions } from '../../src/options/parse.ts'
import { checkSource } from '../../src/plan/limits.ts'
import { decode } from '../../src/raster/decode.ts'
import { identify } from '../../src/source/identify.ts'
import { readImageUrl } from '../../src/source/image-url.ts'
import { splitMultipart } from '../../src/source/multipart.ts'
import { readMarkup } from '../../src/svg/read-markup.ts'
import { sanitiseSvg } from '../../src/svg/sanitise.ts'
import { survive } from '../jpeg/survive.ts'

/** Something that meets a stranger's bytes: whatever they are it answers, or refuses by a Failure; nothing else escapes. */
export interface FuzzTarget {
  /** Well-formed inputs that damage starts from. */
  readonly corpus: readonly Uint8Array[]
  readonly run: (bytes: Uint8Array) => unknown
}

const FIXTURES = join(import.meta.dirname, '../fixtures')

const filesIn = (folder: string, pattern: RegExp): Uint8Array[] =>
  readdirSync(join(FIXTURES, folder))
    .filter((name) => pattern.test(name))
    .map((name) => new Uint8Array(readFileSync(join(FIXTURES, folder, name))))

const texts = (...lines: string[]): Uint8Array[] => lines.map((line) => new TextEncoder().encode(line))
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

const jpegs = filesIn('jpeg', /\.jpg$/)
const pngs = filesIn('motion', /\.png$/)
const gifs = filesIn('motion', /\.gif$/)
const svgs = filesIn('svg', /\.svg$/)

/** px; small, so that a case takes no time. */
const LIMITS = { maxSide: 2000, maxPixels: 1e6 }

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

let files = 0

/** Writes bytes to a file of their own for as long as they are read: cases run at the same time. */
const inFile = async (bytes: Uint8Array, read: (path: string) => Promise<unknown>): Promise<void> => {
  const path = join(tmpdir(), `whittle-fuzz-${process.pid}-${files++}`)
  writeFileSync(path, bytes)
  try {
    await read(path)
  } finally {
    rmSync(path, { force: true })
  }
}

/** Identified, held to the limits that the service has, and decoded. */
const decodeWhole = (bytes: Uint8Array): Promise<void> =>
  inFile(bytes, async (path) => {
    const facts = await identify(path)
    const refusal = checkSource(facts, { ...LIMITS, maxBytes: 50e6, maxTotalPixels: 1e9 })
    if (refusal !== undefined) throw refusal
    await decode({ path, facts, limits: LIMITS })
  })

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
  multipart: {
    corpus: FORM,
    run: async (bytes) => {
      for await (const _piece of splitMultipart(inPieces(bytes), BOUNDARY));
    },
  },
  'strip-jpeg': { corpus: jpegs, run: strip('jpeg') },
  'strip-png': { corpus: pngs, run: strip('png') },
  'strip-gif': { corpus: gifs, run: strip('gif') },
  'png-chunks': { corpus: pngs, run: (bytes) => [...readPngChunks(bytes)].length },
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
