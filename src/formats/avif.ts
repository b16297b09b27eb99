import type { Pixels } from '../core/image.ts'
import type { Axis } from '../plan/probe.ts'
import type { Candidate, SearchRequest, StillCodec } from './format.ts'
import { searchQuality } from './quality-search.ts'
import { fromPixels } from './raw.ts'

/** Median setting over 9 photographs of the corpus by score, at effort 2 and 4:2:0; measured by `bench/curves.ts`. */
const AXIS: Axis = {
  min: 1,
  max: 100,
  step: 1,
  curve: [
    [30, 22],
    [45, 31],
    [55, 38],
    [62, 44],
    [70, 52],
    [75, 59],
    [80, 66],
    [85, 78],
    [90, 92.5],
  ],
}

/** From this goal on chroma detail costs less than luma; one way for a whole search, so that a higher setting scores higher. */
const FULL_CHROMA_FROM = 84

const encoderAt =
  (effort: number, goal: number) =>
  (pixels: Pixels, quality: number): Promise<Uint8Array> =>
    fromPixels(pixels)
      .avif({ quality, effort, chromaSubsampling: goal >= FULL_CHROMA_FROM ? '4:4:4' : '4:2:0' })
      .toBuffer()

/** Effort 3 costs twice and effort 4 many times as much as 2, for 1 to 2 % of the bytes at equal score. */
const EFFORT = 2
/** A sixth of the CPU; scores about 1 lower. */
const SKETCH_EFFORT = 0

async function* search(request: SearchRequest): AsyncGenerator<Candidate> {
  if (request.wanted.kind === 'score') {
    const { score } = request.wanted.goal
    const [encode, sketch] = [encoderAt(EFFORT, score), encoderAt(SKETCH_EFFORT, score)]
    return yield* searchQuality({ format: 'avif', axis: AXIS, encode, sketch, msPerMegapixel: 700 }, request)
  }
  const bytes = await fromPixels(request.pixels).avif({ lossless: true, effort: EFFORT }).toBuffer()
  request.encoded()
  yield { format: 'avif', bytes, score: 100, lossless: true }
}

export const avif: StillCodec = { format: 'avif', alpha: true, maxSide: 16384, search }
