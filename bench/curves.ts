/** Settings of encoders by the score that photographs reach: `node bench/curves.ts --help`. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Raster } from '../src/core/image.ts'
import { LEVEL_QUALITIES } from '../src/formats/avif.ts'
import { openSsimulacra2 } from '../src/metric/ssimulacra2/ssimulacra2.ts'
import { fromPixels, toPixels } from '../src/raster/raw.ts'
import { valueAt } from '../src/search/curve.ts'
import { ask } from './corpus/ask.ts'
import { readCommand, readNumber, requirePaths } from './corpus/help.ts'
import { timed } from './corpus/timed.ts'

const HELP = `Where photographs reach a score: the median setting of an encoder by score, which the searches start from, and its deciles.
Then by how much drafts score higher than full encodes.

Usage: node bench/curves.ts [options] [<folder>]

  --encoder NAME  webp, avif2, avif3, avif4 or jpeg (webp)
  --limit N       photographs of the folder (100)
  --variants      compares other settings of the encoder too, by bytes and CPU at equal score
  --at SCORE      the score at which they are compared (70)
  --drafts        measures drafts only
  --help          says this

The folder is ../corpus/photo-png unless another is given.
`

type Encode = (pixels: Raster, quality: number) => Promise<Uint8Array>

const webp =
  (options: object): Encode =>
  (pixels, quality) =>
    fromPixels(pixels)
      .webp({ quality, ...options })
      .toBuffer()
const avif =
  (options: object): Encode =>
  (pixels, level) =>
    fromPixels(pixels)
      .avif({ quality: LEVEL_QUALITIES[level]!, ...options })
      .toBuffer()
const jpeg =
  (options: object): Encode =>
  (pixels, quality) =>
    fromPixels(pixels)
      .jpeg({ quality, mozjpeg: true, ...options })
      .toBuffer()

/** The first of each is what the search uses (of WebP the second too, of AVIF by size); the others are what it was chosen from. */
const ENCODERS: Readonly<Record<string, Readonly<Record<string, Encode>>>> = {
  webp: {
    'effort 5': webp({ effort: 5 }),
    'effort 5, smart subsampling': webp({ effort: 5, smartSubsample: true }),
    'effort 6, smart subsampling and deblocking': webp({ effort: 6, smartSubsample: true, smartDeblock: true }),
    'effort 5, smart subsampling and deblocking': webp({ effort: 5, smartSubsample: true, smartDeblock: true }),
    'effort 5, smart subsampling, picture': webp({ effort: 5, smartSubsample: true, preset: 'picture' }),
    'effort 4': webp({ effort: 4 }),
  },
  avif2: {
    'effort 2, 10 bits': avif({ effort: 2, bitdepth: 10 }),
    'effort 2': avif({ effort: 2 }),
  },
  avif3: {
    'effort 3, 10 bits': avif({ effort: 3, bitdepth: 10 }),
    'effort 3': avif({ effort: 3 }),
  },
  avif4: {
    'effort 4, 10 bits': avif({ effort: 4, bitdepth: 10 }),
    'effort 4': avif({ effort: 4 }),
    'effort 4, 10 bits, 4:2:0': avif({ effort: 4, bitdepth: 10, chromaSubsampling: '4:2:0' }),
  },
  jpeg: { 'table 5': jpeg({ quantisationTable: 5 }), usual: jpeg({}) },
}

/** Drafts that predict the score of a full encode in a fraction of its time, for formats that are searched so. */
const DRAFTS: Readonly<Record<string, Encode>> = {
  webp: webp({ effort: 0 }),
  avif2: avif({ effort: 0, bitdepth: 10 }),
  avif3: avif({ effort: 0, bitdepth: 10 }),
  avif4: avif({ effort: 0, bitdepth: 10 }),
}

const QUALITIES = [5, 12, 20, 30, 40, 50, 60, 70, 78, 85, 90, 94, 97]
/** Of AVIF the levels that quality numbers stand for. */
const LEVELS = [8, 11, 14, 17, 20, 23, 26, 30, 34, 39, 45, 51, 57, 61]
const SETTINGS: Readonly<Record<string, readonly number[]>> = { avif2: LEVELS, avif3: LEVELS, avif4: LEVELS }
const SCORES = [30, 45, 55, 62, 70, 75, 80, 85, 90]

interface Point {
  readonly quality: number
  readonly score: number
  readonly bytes: number
  readonly ms: number
}

const { values, positionals } = readCommand(HELP, {
  allowPositionals: true,
  options: {
    encoder: { type: 'string', default: 'webp' },
    limit: { type: 'string', default: '100' },
    variants: { type: 'boolean', default: false },
    /** Measures drafts only, without the curves. */
    drafts: { type: 'boolean', default: false },
    at: { type: 'string', default: '70' },
  },
})
const metric = await openSsimulacra2()
const [folder] = requirePaths(HELP, [positionals[0] ?? '../corpus/photo-png'])
const images = await Promise.all(
  readdirSync(folder)
    .slice(0, readNumber(HELP, '--limit', values.limit))
    .map((name) => ask(join(folder, name), 'quality=medium,format=jpeg,full')),
)

const curveOf = async (encode: Encode, pixels: Raster): Promise<readonly Point[]> => {
  using prepared = metric.prepare(pixels)
  const points: Point[] = []
  for (const quality of SETTINGS[values.encoder] ?? QUALITIES) {
    const { ms, value } = await timed(() => encode(pixels, quality))
    points.push({ quality, ms, bytes: value.length, score: prepared.compare(await toPixels(value)) })
  }
  // Drops settings that score no better than a lower one: interpolation needs a rising curve.
  return points.filter((point, at) => points.slice(0, at).every((before) => before.score < point.score))
}

/** By how much drafts score higher than full encodes, by setting: median, and the spread about it. */
const printBias = async (full: Encode, draft: Encode): Promise<void> => {
  const rows: object[] = []
  for (const quality of SETTINGS[values.encoder] ?? QUALITIES) {
    const found: number[] = []
    for (const { pixels } of images) {
      using prepared = metric.prepare(pixels)
      const score = async (encode: Encode) => prepared.compare(await toPixels(await encode(pixels, quality)))
      found.push((await score(draft)) - (await score(full)))
    }
    const middle = median(found)
    const spread = median(found.map((one) => Math.abs(one - middle)))
    rows.push({
      setting: quality,
      'draft less full': Number(middle.toFixed(2)),
      'median off': Number(spread.toFixed(2)),
    })
  }
  console.table(rows)
}

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!
const along = (points: readonly Point[], score: number, pick: (point: Point) => number): number =>
  valueAt(
    points.map((point) => [point.score, pick(point)] as const),
    score,
  )

const at = readNumber(HELP, '--at', values.at)
let yardstick: readonly { readonly bytes: number; readonly ms: number }[] | undefined
for (const [name, encode] of Object.entries(values.drafts ? {} : (ENCODERS[values.encoder] ?? {}))) {
  const curves: (readonly Point[])[] = []
  for (const { pixels } of images) curves.push(await curveOf(encode, pixels))
  const here = curves.map((points) => ({
    bytes: Math.exp(along(points, at, (point) => Math.log(point.bytes))),
    ms: along(points, at, (point) => point.ms),
  }))
  yardstick ??= here
  console.log(`\n${values.encoder}, ${name}: ${images.length} photographs`)
  console.table(
    SCORES.map((score) => {
      const settings = curves.map((points) => along(points, score, ({ quality }) => quality)).sort((a, b) => a - b)
      const share = (part: number): number => Number(settings[Math.round((settings.length - 1) * part)]!.toFixed(1))
      return { score, 'setting, 1st decile': share(0.1), median: share(0.5), '9th decile': share(0.9) }
    }),
  )
  const ratio = (pick: 'bytes' | 'ms'): string =>
    median(here.map((one, i) => one[pick] / yardstick![i]![pick])).toFixed(3)
  console.log(`at score ${at}: bytes ${ratio('bytes')}, CPU ${ratio('ms')} of the first variant (medians)`)
  if (!values.variants) break
}
const [full] = Object.values(ENCODERS[values.encoder] ?? {})
const draft = DRAFTS[values.encoder]
if (full !== undefined && draft !== undefined) await printBias(full, draft)
