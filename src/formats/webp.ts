import type { Axis } from '../plan/probe.ts'
import { fromPixels } from '../raster/raw.ts'
import { type Candidate, IDENTICAL, type SearchRequest, type StillCodec } from './format.ts'
import { withLowerSetting } from './lower-setting.ts'
import { type QualityEncoder, searchQuality } from './quality-search.ts'

/** Median setting over 9 photographs of the corpus by score (bench/curves.ts). */
const CURVE: Axis['curve'] = [
  [30, 11.7],
  [45, 24.4],
  [55, 36.6],
  [62, 49.2],
  [70, 68.9],
  [75, 78.6],
  [80, 84.1],
  [85, 89.6],
  [90, 96.4],
]

/** Without smart subsampling no setting shows sharp chroma: that begins to matter for drafts here. */
const SMART_FROM = 70

/** By how much drafts score higher than full encodes, by setting; medians of 6 of the same photographs. */
const DRAFT_BIAS: QualityEncoder['draftBias'] = [
  [5, 1.7],
  [20, 2.9],
  [30, 2.3],
  [45, 1.4],
  [60, 1.1],
  [70, 0.6],
  [85, 0.4],
  [92, -0.5],
  [97, -0.4],
]

/** Above this the slowest effort costs seconds. */
const SLOW_PIXELS = 4e6

/**
 * What libwebp has against its own artefacts, at its slowest: sharp chroma, and an edge filter fitted to the image. At equal
 * score 3 to 4 % smaller than its preset `picture` at effort 5, at equal Butteraugli 8 % (6 photographs).
 */
const full = (preset: 'default' | 'photo') =>
  withLowerSetting((pixels, quality) => {
    const effort = pixels.width * pixels.height > SLOW_PIXELS ? 4 : 6
    return fromPixels(pixels).webp({ quality, effort, preset, smartSubsample: true, smartDeblock: true }).toBuffer()
  })

const encoder: QualityEncoder = {
  format: 'webp',
  axis: { min: 1, max: 100, step: 1, curve: CURVE },
  encode: full('default'),
  // More of the bits go to quiet segments: 7 of 9 photographs that contours bind keep them with 6 to 30 % fewer bytes, two with 1 and 4 % more.
  encodeSmooth: full('photo'),
  draft: withLowerSetting((pixels, quality) =>
    fromPixels(pixels)
      .webp({ quality, effort: 0, smartSubsample: quality > SMART_FROM })
      .toBuffer(),
  ),
  draftBias: DRAFT_BIAS,
  fast: withLowerSetting((pixels, quality) => fromPixels(pixels).webp({ quality, effort: 0 }).toBuffer()),
  msPerMegapixel: 900,
}

async function* search(request: SearchRequest): AsyncGenerator<Candidate> {
  if (request.wanted.kind === 'score') yield* searchQuality(encoder, request)
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
