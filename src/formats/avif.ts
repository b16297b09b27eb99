import type { Raster } from '../core/image.ts'
import type { Axis } from '../plan/probe.ts'
import { fromPixels } from '../raster/raw.ts'
import { type Candidate, IDENTICAL, type SearchRequest, type StillCodec } from './format.ts'
import { searchQuality } from './quality-search.ts'

/**
 * libavif's encoder has 64 levels, which the quality number 1 to 100 is mapped to: the lowest number of each, found by
 * comparing files. Searching numbers would encode many a file twice.
 */
export const LEVEL_QUALITIES = [
  1, 3, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 35, 37, 39, 40, 42, 44, 45, 47, 49, 50, 52, 54, 55,
  56, 58, 59, 60, 62, 63, 64, 66, 67, 68, 70, 71, 72, 74, 75, 76, 78, 79, 80, 82, 83, 84, 86, 87, 88, 90, 91, 92, 94,
  95, 96, 98, 99, 100,
] as const

/** Median level over 9 photographs of the corpus by score, at effort 2 and 4:2:0; measured by `bench/curves.ts`. */
const AXIS: Axis = {
  min: 0,
  max: LEVEL_QUALITIES.length - 1,
  step: 1,
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
}

/** From this goal on chroma detail costs less than luma; one way for a whole search, so that a higher setting scores higher. */
const FULL_CHROMA_FROM = 84

const encoderAt =
  (effort: number, goal: number) =>
  (pixels: Raster, level: number): Promise<Uint8Array> =>
    fromPixels(pixels)
      .avif({
        quality: LEVEL_QUALITIES[level]!,
        effort,
        chromaSubsampling: goal >= FULL_CHROMA_FROM ? '4:4:4' : '4:2:0',
      })
      .toBuffer()

/** Effort 3 costs twice and effort 4 many times as much as 2, for 1 to 2 % of the bytes at equal score. */
const EFFORT = 2
/** A sixth of the CPU; scores lower, the more so the less a score is. */
const SKETCH_EFFORT = 0
/** Points by level, 18 photographs. */
const SKETCH_BIAS = [
  [8, -4],
  [18, -4],
  [27, -2.4],
  [45, -0.8],
  [60, -0.5],
] as const

async function* search(request: SearchRequest): AsyncGenerator<Candidate> {
  if (request.wanted.kind === 'score') {
    const { score } = request.wanted.goal
    const [encode, sketch] = [encoderAt(EFFORT, score), encoderAt(SKETCH_EFFORT, score)]
    return yield* searchQuality(
      { format: 'avif', axis: AXIS, encode, sketch, sketchBias: SKETCH_BIAS, msPerMegapixel: 700 },
      request,
    )
  }
  const bytes = await fromPixels(request.pixels).avif({ lossless: true, effort: EFFORT }).toBuffer()
  request.encoded()
  yield { format: 'avif', bytes, examined: IDENTICAL, lossless: true }
}

export const avif: StillCodec = { format: 'avif', search }
