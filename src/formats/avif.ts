import type { AvifOptions } from 'sharp'
import type { Raster } from '../core/image.ts'
import { fromPixels } from '../raster/raw.ts'
import type { Curve } from '../search/curve.ts'
import { type Candidate, IDENTICAL, type SearchRequest, type StillCodec } from './format.ts'
import { orLeaner } from './or-leaner.ts'
import type { QualityEffort, QualityEncoder } from './quality-encoder.ts'
import { searchLossy } from './quality-on-sample.ts'

/**
 * libavif's encoder has 64 levels, which the quality number 1 to 100 is mapped to: the lowest number of each, found by
 * comparing files. Searching numbers would encode many a file twice.
 */
export const LEVEL_QUALITIES = [
  1, 3, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 35, 37, 39, 40, 42, 44, 45, 47, 49, 50, 52, 54, 55,
  56, 58, 59, 60, 62, 63, 64, 66, 67, 68, 70, 71, 72, 74, 75, 76, 78, 79, 80, 82, 83, 84, 86, 87, 88, 90, 91, 92, 94,
  95, 96, 98, 99, 100,
] as const

/** Median score by level of 10 photographs at effort 3 and ten bits, with what Butteraugli, contours and tile colours count for. */
const CURVE: Curve = [
  [9, 15],
  [15, 37],
  [18, 49],
  [21, 56],
  [23, 60],
  [26, 66.6],
  [31, 72.4],
  [34, 75.6],
  [42, 82.4],
  [49, 86.6],
  [57, 90.5],
  [63, 93],
]
/** On the same photographs. */
const RISE: Curve = [
  [45, 0.025],
  [57, 0.035],
  [70, 0.042],
  [85, 0.07],
]
/** Points by which the margin of a draft (effort 0) exceeds that of effort 3, by level: medians of the same photographs. */
const DRAFT_BIAS: Curve = [
  [15, -3.2],
  [23, -2],
  [31, -1.3],
  [42, -0.8],
  [49, -0.5],
]

/** How images of a size are encoded: by their pixels alone, so that the same request gives the same bytes. */
interface AvifEffort {
  readonly maxPixels: number
  readonly effort: number
  readonly msPerMegapixel: number
}

/**
 * Bytes and CPU at equal quality, relative to effort 4 with ten bits (7 photographs, all bounds of medium). Effort 3 takes 1.05 of the bytes
 * and 0.25 of the CPU, effort 0 1.22 and 0.026. On a mosaic of 4 megapixels effort 1 takes 0.99 of the bytes of effort 2 and 0.55 of its CPU.
 * Ten bits a channel save 4 % of the bytes of eight for 16 % more CPU. Tuning for SSIM takes 14 % more bytes than for image quality, sharp's default.
 */
const EFFORTS: readonly AvifEffort[] = [
  { maxPixels: 4e6, effort: 3, msPerMegapixel: 2400 },
  { maxPixels: 32e6, effort: 1, msPerMegapixel: 800 },
  { maxPixels: Number.POSITIVE_INFINITY, effort: 0, msPerMegapixel: 370 },
]
const DRAFT = { effort: 0, msPerMegapixel: 370 }
/** For requests in haste: drafts of drawings take up to 1.8 times the bytes of effort 3. */
const BETWEEN = { effort: 1, msPerMegapixel: 800 }

const BITS = 10
/** Settings for an encode that failed: of 48 megapixels they take 1.1 GB and not 2.4 (`sharp().avif()`, one thread, resident memory). */
const LEAN = { effort: 0, bitdepth: 8, chromaSubsampling: '4:2:0' } as const

const encodeAt =
  (effort: number): QualityEffort['encode'] =>
  (pixels, level) => {
    const quality = LEVEL_QUALITIES[level]!
    const encodeWith = (settings: AvifOptions) =>
      fromPixels(pixels)
        .avif({ quality, ...settings })
        .toBuffer()
    return orLeaner(
      () => encodeWith({ effort, bitdepth: BITS }),
      () => encodeWith(LEAN),
    )
  }

const encoderFor = ({ width, height }: Raster): QualityEncoder => {
  const { effort, msPerMegapixel } = EFFORTS.find(({ maxPixels }) => width * height <= maxPixels)!
  const full = { encode: encodeAt(effort), msPerMegapixel }
  return {
    format: 'avif',
    axis: { min: 0, max: LEVEL_QUALITIES.length - 1, step: 1 },
    curve: CURVE,
    rise: RISE,
    draft: { encode: encodeAt(DRAFT.effort), msPerMegapixel: DRAFT.msPerMegapixel, bias: DRAFT_BIAS },
    ...(effort > BETWEEN.effort
      ? { between: { encode: encodeAt(BETWEEN.effort), msPerMegapixel: BETWEEN.msPerMegapixel } }
      : {}),
    full: () => full,
  }
}

/** Of lossless files, where more effort gains little. */
const LOSSLESS_EFFORT = 2

async function* search(request: SearchRequest): AsyncGenerator<Candidate> {
  if (request.wanted.kind === 'score') {
    return yield* searchLossy(encoderFor(request.pixels), request)
  }
  const bytes = await fromPixels(request.pixels).avif({ lossless: true, effort: LOSSLESS_EFFORT }).toBuffer()
  request.encoded()
  yield { kind: 'candidate', format: 'avif', bytes, examined: IDENTICAL, lossless: true }
}

export const avif: StillCodec = { format: 'avif', search }
