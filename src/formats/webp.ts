import { readRiffChunks, writeRiff } from '../containers/riff.ts'
import type { Raster } from '../core/image.ts'
import type { Axis } from '../plan/probe.ts'
import { fromPixels } from '../raster/raw.ts'
import { type Candidate, IDENTICAL, type SearchRequest, type StillCodec } from './format.ts'
import { withLowerSetting } from './lower-setting.ts'
import { type FoundSetting, type QualityEncoder, searchQuality } from './quality-search.ts'

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
const SLOWEST = 6
/**
 * The slowest effort looks for the best of all ways to store transparency: 0.5 to 4.6 s of CPU up to 0.65 megapixels, six to thirty times what
 * the whole file takes at the effort below, for 1 to 9 % of the bytes (eight images). So it is paid once, for images of no more pixels than this.
 */
const FINISHED_PIXELS = 3e5

const hasAlpha = ({ channels }: Raster): boolean => channels === 4

const searchEffort = (pixels: Raster): number => {
  if (pixels.width * pixels.height > SLOW_PIXELS) return 4
  return hasAlpha(pixels) ? 5 : SLOWEST
}

/**
 * What libwebp has against its own artefacts: sharp chroma, and an edge filter fitted to the image. At equal score, at its slowest,
 * 3 to 4 % smaller than its preset `picture` at effort 5, at equal Butteraugli 8 % (6 photographs).
 */
const full = (preset: 'default' | 'photo', effortFor = searchEffort) =>
  withLowerSetting((pixels, quality) =>
    fromPixels(pixels)
      .webp({ quality, effort: effortFor(pixels), preset, smartSubsample: true, smartDeblock: true })
      .toBuffer(),
  )

/** Transparency as a chunk of a file, which is the same at every setting: it is stored without loss. */
const TRANSPARENCY = 'ALPH'

/** A file with the transparency of another one of the same pixels. */
const withTransparencyOf = (file: Uint8Array, other: Uint8Array): Uint8Array => {
  const from = [...readRiffChunks(other)].find(({ type }) => type === TRANSPARENCY)
  const chunks = [...readRiffChunks(file)].map(({ type, whole }) => (type === TRANSPARENCY ? from?.whole : whole))
  return writeRiff(
    'WEBP',
    chunks.filter((chunk) => chunk !== undefined),
  )
}

/** All of it at the slowest effort, which may just miss the promise; else its transparency alone. */
const finish = async (pixels: Raster, { bytes, setting, contours }: FoundSetting): Promise<readonly Uint8Array[]> => {
  if (!hasAlpha(pixels) || pixels.width * pixels.height > FINISHED_PIXELS) return []
  const slowest = await full(contours ? 'photo' : 'default', () => SLOWEST)(pixels, setting)
  return [slowest, withTransparencyOf(bytes, slowest)]
}

const encoder: QualityEncoder = {
  format: 'webp',
  axis: { min: 1, max: 100, step: 1, curve: CURVE },
  encode: full('default'),
  // More of the bits go to quiet segments: 7 of 9 photographs that contours bind keep them with 6 to 30 % fewer bytes, two with 1 and 4 % more.
  encodeSmooth: full('photo'),
  finish,
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
