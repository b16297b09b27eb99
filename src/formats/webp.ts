import type { Axis } from '../plan/probe.ts'
import { fromPixels } from '../raster/raw.ts'
import { type Candidate, IDENTICAL, type SearchRequest, type StillCodec } from './format.ts'
import { orLower } from './or-lower.ts'
import { type QualityEncoder, searchQuality } from './quality-search.ts'

/** Median setting over 18 photographs of the corpus by score, at effort 5 with smart subsampling, in the two manners below. */
const SMOOTH: Axis['curve'] = [
  [30, 9.7],
  [45, 21.7],
  [55, 36.3],
  [62, 46.8],
  [70, 69.8],
  [75, 77.7],
  [80, 83.3],
]
const USUAL: Axis['curve'] = [
  [30, 6.5],
  [45, 18],
  [55, 30.5],
  [62, 43],
  [70, 62],
  [75, 74],
  [80, 82.5],
  [85, 88.5],
  [90, 95.5],
]

/**
 * Below this goal libwebp's preset `picture`, which filters edges half as strongly as usual: there the usual filter
 * disappears between two settings, and some smooth images' scores leap by 3 to 6. At equal score 1.6 to 0.2 % smaller at
 * 47 to 70, 2 % larger at 80 (18 photographs).
 */
const USUAL_FROM = 75

interface Manner {
  readonly preset?: 'picture'
}

/** Above this the slowest effort costs seconds. */
const SLOW_PIXELS = 4e6
/** Without smart subsampling no setting shows sharp chroma: that begins to matter for drafts here. */
const SMART_FROM = 70

/** By how much drafts score higher, by setting; the same in both manners within 0.3. */
const DRAFT_BIAS: QualityEncoder['draftBias'] = [
  [8, 2.6],
  [30, 2.3],
  [45, 0.9],
  [60, 0.5],
  [SMART_FROM, 0.2],
  [SMART_FROM + 1, 1.1],
  [80, 0.1],
  [95, -0.5],
]

const encoderFor = (goal: number): QualityEncoder => {
  const usual = goal >= USUAL_FROM
  const manner: Manner = usual ? {} : { preset: 'picture' }
  return {
    format: 'webp',
    axis: { min: 1, max: 100, step: 1, curve: usual ? USUAL : SMOOTH },
    encode: orLower((pixels, quality) => {
      const effort = pixels.width * pixels.height > SLOW_PIXELS ? 4 : 5
      return fromPixels(pixels)
        .webp({ ...manner, quality, smartSubsample: true, effort })
        .toBuffer()
    }),
    draft: orLower((pixels, quality) =>
      fromPixels(pixels)
        .webp({ ...manner, quality, effort: 0, smartSubsample: quality > SMART_FROM })
        .toBuffer(),
    ),
    draftBias: DRAFT_BIAS,
    fast,
    msPerMegapixel: 600,
  }
}

const fast = orLower((pixels, quality) => fromPixels(pixels).webp({ quality, effort: 0 }).toBuffer())

async function* search(request: SearchRequest): AsyncGenerator<Candidate> {
  if (request.wanted.kind === 'score') yield* searchQuality(encoderFor(request.wanted.goal.score), request)
  if (request.wanted.kind === 'lossless' || (await mayGainWithoutLoss(request))) {
    const bytes = await fromPixels(request.pixels)
      .webp({ lossless: true, effort: 4, exact: request.wanted.kind === 'lossless' })
      .toBuffer()
    request.encoded()
    yield { format: 'webp', bytes, examined: IDENTICAL, lossless: true }
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
  const fast = await fromPixels(pixels).webp({ lossless: true, effort: 0 }).toBuffer()
  return fast.length * LOSSLESS_GAIN < beat()
}

export const webp: StillCodec = { format: 'webp', search }
