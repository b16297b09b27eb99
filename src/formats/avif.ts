import type { Raster } from '../core/image.ts'
import type { Axis } from '../plan/probe.ts'
import { fromPixels } from '../raster/raw.ts'
import { type Candidate, IDENTICAL, type SearchRequest, type StillCodec } from './format.ts'
import { type QualityEncoder, searchQuality } from './quality-search.ts'

/**
 * libavif's encoder has 64 levels, which the quality number 1 to 100 is mapped to: the lowest number of each, found by
 * comparing files. Searching numbers would encode many a file twice.
 */
export const LEVEL_QUALITIES = [
  1, 3, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 35, 37, 39, 40, 42, 44, 45, 47, 49, 50, 52, 54, 55,
  56, 58, 59, 60, 62, 63, 64, 66, 67, 68, 70, 71, 72, 74, 75, 76, 78, 79, 80, 82, 83, 84, 86, 87, 88, 90, 91, 92, 94,
  95, 96, 98, 99, 100,
] as const

/** Median level of 9 photographs by score, at effort 3 and ten bits; the other efforts are nearest to it where presets are. */
const CURVE: Axis['curve'] = [
  [30, 9.5],
  [45, 13.7],
  [55, 17.6],
  [62, 21],
  [70, 25.5],
  [75, 29.6],
  [80, 35.5],
  [85, 43.3],
  [90, 51.5],
]

type DraftBias = NonNullable<QualityEncoder['draftBias']>

/** Points by which drafts at effort 2 score higher than effort 4, by level. */
const FROM_EFFORT_2: DraftBias = [
  [10, -6.1],
  [15, -3.4],
  [23, -2.7],
  [32, -2],
  [43, -1.6],
  [57, -0.6],
]
/** The same of effort 0 against efforts 2 and 3. */
const FROM_EFFORT_0: DraftBias = [
  [8, -2.9],
  [14, -2.5],
  [20, -1.9],
  [30, -1.1],
  [39, -0.8],
  [45, -0.4],
  [57, -0.1],
]

/** How images of a size are encoded: by their pixels alone, so that the same request gives the same bytes. */
interface AvifManner {
  readonly mostPixels: number
  readonly effort: number
  readonly draftEffort: number
  /** Points by which drafts score higher than full encodes, by level. */
  readonly draftBias: DraftBias
  readonly msPerMegapixel: number
}

/**
 * By size: effort 4 takes 5 times the CPU of effort 3 and 8 times that of effort 2, for 7 and 15 % fewer bytes at equal score.
 * Ten bits a channel save 4 to 9 % of eight (errors of rounding are no signal to the encoder), and every decoder of AVIF
 * reads them. Full chroma weighs what 4:2:0 does at equal score. Measured on photographs with bench/curves.ts.
 */
const MANNERS: readonly AvifManner[] = [
  { mostPixels: 6e5, effort: 4, draftEffort: 2, draftBias: FROM_EFFORT_2, msPerMegapixel: 8000 },
  { mostPixels: 4e6, effort: 3, draftEffort: 0, draftBias: FROM_EFFORT_0, msPerMegapixel: 1800 },
  {
    mostPixels: Number.POSITIVE_INFINITY,
    effort: 2,
    draftEffort: 0,
    draftBias: FROM_EFFORT_0,
    msPerMegapixel: 1100,
  },
]

const BITS = 10

const encoderFor = ({ width, height }: Raster): QualityEncoder => {
  const manner = MANNERS.find(({ mostPixels }) => width * height <= mostPixels)!
  const encodeAt =
    (effort: number) =>
    (pixels: Raster, level: number): Promise<Uint8Array> =>
      fromPixels(pixels).avif({ quality: LEVEL_QUALITIES[level]!, effort, bitdepth: BITS }).toBuffer()
  return {
    format: 'avif',
    axis: { min: 0, max: LEVEL_QUALITIES.length - 1, step: 1, curve: CURVE },
    encode: encodeAt(manner.effort),
    draft: encodeAt(manner.draftEffort),
    fast: encodeAt(0),
    draftBias: manner.draftBias,
    msPerMegapixel: manner.msPerMegapixel,
  }
}

/** Of lossless files, where more effort gains little. */
const LOSSLESS_EFFORT = 2

async function* search(request: SearchRequest): AsyncGenerator<Candidate> {
  if (request.wanted.kind === 'score') {
    return yield* searchQuality(encoderFor(request.pixels), request)
  }
  const bytes = await fromPixels(request.pixels).avif({ lossless: true, effort: LOSSLESS_EFFORT }).toBuffer()
  request.encoded()
  yield { format: 'avif', bytes, examined: IDENTICAL, lossless: true }
}

export const avif: StillCodec = { format: 'avif', search }
