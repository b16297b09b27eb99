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

/** Up to so many pixels the effort of sharp's default is affordable: 5 s of CPU a megapixel. */
const THOROUGH_PIXELS = 6e5

/** How images of a size are encoded: by their pixels alone, so that the same request gives the same bytes. */
interface AvifManner {
  readonly effort: number
  readonly draftEffort: number
  /** Median level by effective score. */
  readonly curve: Axis['curve']
  /** Points by which drafts score higher than full encodes, by level. */
  readonly draftBias: readonly (readonly [level: number, points: number])[]
  readonly msPerMegapixel: number
  readonly fullChromaFrom: number
}

/**
 * sharp's default effort, with full chroma as it has: at equal score 2 to 7 % smaller than 4:2:0, as large at equal
 * Butteraugli. Drafts at effort 2 take an eighth of the CPU and tell the score of a full encode within 0.5 to 0.9 points.
 * Measured on crops of 6 photographs.
 */
const THOROUGH: AvifManner = {
  effort: 4,
  draftEffort: 2,
  curve: [
    [30, 11.9],
    [45, 16.7],
    [55, 20.5],
    [62, 23.5],
    [70, 27.9],
    [75, 32.2],
    [80, 37.4],
    [85, 45.1],
    [90, 53.4],
  ],
  draftBias: [
    [10, -6.1],
    [15, -3.4],
    [23, -2.7],
    [32, -2],
    [43, -1.6],
    [57, -0.6],
  ],
  msPerMegapixel: 6000,
  fullChromaFrom: 0,
}

/** Effort 2 takes a ninth of the CPU of effort 4, and 10 to 14 % more bytes at equal score. Measured on 9 and 18 photographs. */
const FAST: AvifManner = {
  effort: 2,
  draftEffort: 0,
  curve: [
    [30, 10],
    [45, 14.5],
    [55, 18.5],
    [62, 22],
    [70, 27],
    [75, 32],
    [80, 37],
    [85, 46],
    [90, 57.3],
  ],
  draftBias: [
    [8, -4],
    [18, -4],
    [27, -2.4],
    [45, -0.8],
    [60, -0.5],
  ],
  msPerMegapixel: 700,
  fullChromaFrom: 84,
}

const encoderFor = ({ width, height }: Raster, goal: number): QualityEncoder => {
  const manner = width * height <= THOROUGH_PIXELS ? THOROUGH : FAST
  const chromaSubsampling = goal >= manner.fullChromaFrom ? '4:4:4' : '4:2:0'
  const encodeAt =
    (effort: number) =>
    (pixels: Raster, level: number): Promise<Uint8Array> =>
      fromPixels(pixels).avif({ quality: LEVEL_QUALITIES[level]!, effort, chromaSubsampling }).toBuffer()
  return {
    format: 'avif',
    axis: { min: 0, max: LEVEL_QUALITIES.length - 1, step: 1, curve: manner.curve },
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
    return yield* searchQuality(encoderFor(request.pixels, request.wanted.goal.score), request)
  }
  const bytes = await fromPixels(request.pixels).avif({ lossless: true, effort: LOSSLESS_EFFORT }).toBuffer()
  request.encoded()
  yield { format: 'avif', bytes, examined: IDENTICAL, lossless: true }
}

export const avif: StillCodec = { format: 'avif', search }
