import type { Pixels } from '../core/image.ts'
import type { Axis } from '../plan/probe.ts'
import type { Candidate, SearchRequest, StillCodec } from './format.ts'
import { searchQuality } from './quality-search.ts'
import { fromPixels } from './raw.ts'

/** Median setting over 12 photographs of the corpus by score, at effort 5 with smart subsampling; measured by `bench/curves.ts`. */
const AXIS: Axis = {
  min: 1,
  max: 100,
  step: 1,
  curve: [
    [30, 6.5],
    [45, 18],
    [55, 30.5],
    [62, 43],
    [70, 62],
    [75, 74],
    [80, 82.5],
    [85, 88.5],
    [90, 95.5],
  ],
}

/** Above this the slowest effort costs seconds. */
const SLOW_PIXELS = 4e6

const encode = (pixels: Pixels, quality: number): Promise<Uint8Array> =>
  fromPixels(pixels)
    .webp({ quality, smartSubsample: true, effort: pixels.width * pixels.height > SLOW_PIXELS ? 4 : 5 })
    .toBuffer()

async function* search(request: SearchRequest): AsyncGenerator<Candidate> {
  if (request.wanted.kind === 'score') yield* searchQuality({ format: 'webp', axis: AXIS, encode }, request)
  // Graphics are often smallest without loss; a photograph never is.
  if (
    request.wanted.kind === 'lossless' ||
    request.traits.colours <= 256 ||
    request.pixels.width * request.pixels.height < 1e6
  ) {
    const bytes = await fromPixels(request.pixels)
      .webp({ lossless: true, effort: 4, exact: request.wanted.kind === 'lossless' })
      .toBuffer()
    request.encoded()
    yield { format: 'webp', bytes, score: 100, lossless: true }
  }
}

export const webp: StillCodec = { format: 'webp', alpha: true, maxSide: 16383, search }
