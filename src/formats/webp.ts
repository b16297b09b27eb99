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

/** Without smart subsampling no setting shows sharp chroma: that begins to matter here. */
const SMART_FROM = 70
/** A fifth to an eighth of the CPU; scores mostly within 1 of the full encode's. */
const sketch = (pixels: Pixels, quality: number): Promise<Uint8Array> =>
  fromPixels(pixels)
    .webp({ quality, effort: 0, smartSubsample: quality > SMART_FROM })
    .toBuffer()

const hasty = (pixels: Pixels, quality: number): Promise<Uint8Array> =>
  fromPixels(pixels).webp({ quality, effort: 0 }).toBuffer()

async function* search(request: SearchRequest): AsyncGenerator<Candidate> {
  if (request.wanted.kind === 'score')
    yield* searchQuality({ format: 'webp', axis: AXIS, encode, sketch, hasty, msPerMegapixel: 600 }, request)
  if (request.wanted.kind === 'lossless' || (await mayGainWithoutLoss(request))) {
    const bytes = await fromPixels(request.pixels)
      .webp({ lossless: true, effort: 4, exact: request.wanted.kind === 'lossless' })
      .toBuffer()
    request.encoded()
    yield { format: 'webp', bytes, score: 100, lossless: true }
  }
}

/** Lossless effort 4 saves at most so much of effort 0. */
const LOSSLESS_GAIN = 0.7

/** ms per megapixel of the lossless encode on a slow core. */
const LOSSLESS_MS = 700

/** Graphics are often smallest without loss; a photograph never is, which the hastiest lossless encode tells. */
const mayGainWithoutLoss = async ({ pixels, beat, deadline }: SearchRequest): Promise<boolean> => {
  if (deadline.signal.aborted || ((pixels.width * pixels.height) / 1e6) * LOSSLESS_MS > deadline.remaining())
    return false
  const hasty = await fromPixels(pixels).webp({ lossless: true, effort: 0 }).toBuffer()
  return hasty.length * LOSSLESS_GAIN < beat()
}

export const webp: StillCodec = { format: 'webp', alpha: true, maxSide: 16383, search }
