/** WebP without loss of its own: of the pixels that a palette or level search found, nearly without loss, and exact. */
import type { Raster } from '../core/image.ts'
import { isPhotograph, MAX_PHOTO_FLATNESS } from '../plan/shortlist.ts'
import { fromPixels } from '../raster/raw.ts'
import { ESTIMATE_ERROR, expectedMs, hasTimeFor } from '../search/budget.ts'
import { type Candidate, IDENTICAL, orElse, type SearchRequest, type Step } from './format.ts'
import { searchLevels } from './levels-search.ts'
import { type Indexed, show } from './palette/remap.ts'
import { writeIndexedPng } from './palette/write-png.ts'
import { searchPalette } from './palette-search.ts'
import { verified } from './verified.ts'

/** libwebp's effort for lossless files. */
const EFFORT = 4
/** zlib's level for estimates. */
const ESTIMATE_LEVEL = 6

const encode = (pixels: Raster, options: { readonly exact?: boolean } = {}): Promise<Uint8Array> =>
  fromPixels(pixels)
    .webp({ lossless: true, effort: EFFORT, ...options })
    .toBuffer()

const encodeFast = (pixels: Raster): Promise<Uint8Array> =>
  fromPixels(pixels).webp({ lossless: true, effort: 0 }).toBuffer()

/** One of this number of bands of this number of rows estimates the bytes of the whole. */
const BAND = { rows: 8, every: 4 } as const

/** About the bytes of the fastest lossless file, for a quarter of its CPU. */
const estimatedFast = async (pixels: Raster): Promise<number> => {
  const { data, width, height, channels } = pixels
  const bytes = BAND.rows * width * channels
  const bands = Math.floor(height / BAND.rows / BAND.every)
  if (bands === 0) return (await encodeFast(pixels)).length
  const sample = Buffer.concat(
    Array.from({ length: bands }, (_, band) => data.subarray(band * BAND.every * bytes).subarray(0, bytes)),
  )
  const rows = bands * BAND.rows
  const { length } = await encodeFast({ data: sample, width, height: rows, channels })
  return (length * height) / rows
}

/** Shares of the fastest lossless file below which no image came: exact, nearly without loss, in a palette. */
const MIN_SHARE = { exact: 0.7, near: 0.4, palette: 0.08, paletteOfVaried: 0.15 } as const
/**
 * Images of at least this many colours and pixels are, where less than this share of pixels equal their left neighbours, photographs with a plain ground
 * more often than drawings. Their palettes take 0.30 to 0.67 of the fastest lossless file (6 images); those of the drawings among them
 * 0.16 to 0.43 (6 images).
 */
const VARIED = { colours: 65, pixels: 128 * 128, flatness: MAX_PHOTO_FLATNESS } as const
const isVaried = ({ features: { colours, flatness }, pixels: { width, height } }: SearchRequest): boolean =>
  colours >= VARIED.colours && flatness < VARIED.flatness && width * height >= VARIED.pixels
/** libwebp's near-lossless levels, the coarsest first. */
const NEAR_LEVELS = [40, 60, 80] as const

/** Palettes, then coarser levels, each stored without loss. */
async function* reduced(request: SearchRequest, fast: number): AsyncGenerator<Step> {
  const { channels } = request.pixels
  const encodeIndexed = (image: Indexed): Promise<Uint8Array> => encode(show(image, channels))
  const estimate = (image: Indexed): number => writeIndexedPng(image, ESTIMATE_LEVEL).length
  let isPalette = false
  for await (const step of searchPalette(request, { format: 'webp', estimate, encode: encodeIndexed })) {
    isPalette ||= step.kind === 'candidate'
    yield orElse(step, fast * MIN_SHARE.exact)
  }
  if (!isPalette && request.alone) yield* searchLevels(request, { format: 'webp', lossless: fast, encode })
}

/** The coarsest near-lossless file that keeps the promise. */
async function* near(request: SearchRequest, limit: () => number): AsyncGenerator<Candidate> {
  const { pixels } = request
  for (const quality of NEAR_LEVELS) {
    if (!hasTimeFor(request, expectedMs('webp-lossless', pixels))) return request.outOfTime()
    const bytes = await fromPixels(pixels).webp({ nearLossless: true, quality, effort: EFFORT }).toBuffer()
    request.encoded()
    if (bytes.length >= limit()) return
    const shown = await measured(request, bytes)
    yield shown
    if (shown.examined?.keeps === true) return
  }
}

const measured = async (request: SearchRequest, bytes: Uint8Array): Promise<Candidate> =>
  verified(request, 'webp', { bytes, shown: request.pixels, examined: IDENTICAL })

/** The exact pixels; what hides under full transparency may change unless `exact`. */
export const encodeExact = async (request: SearchRequest, exact: boolean): Promise<Candidate> => {
  const bytes = await encode(request.pixels, { exact })
  request.encoded()
  return { kind: 'candidate', format: 'webp', bytes, examined: IDENTICAL, lossless: true }
}

/** Files without loss that may come below `limit`, a number of bytes that is read before each step. */
export async function* searchLossless(request: SearchRequest, limit: () => number): AsyncGenerator<Step> {
  const { pixels, features, deadline } = request
  const isKept = Number.isFinite(request.beat())
  if (isKept && isPhotograph(features, pixels)) return
  if (deadline.signal.aborted || !hasTimeFor(request, expectedMs('webp-lossless', pixels))) return request.outOfTime()
  const ofPalette = isVaried(request) ? MIN_SHARE.paletteOfVaried : MIN_SHARE.palette
  const triesPalettes = !isPhotograph(features, pixels) && features.colours > 2
  const least = triesPalettes ? ofPalette : isKept ? MIN_SHARE.exact : MIN_SHARE.near
  const isPhotoLike = features.flatness < MAX_PHOTO_FLATNESS
  if (isPhotoLike && (await estimatedFast(pixels)) * least > limit() * ESTIMATE_ERROR) return
  const fast = (await encodeFast(pixels)).length
  const mayReach = (share: number): boolean => fast * share < limit()
  if (triesPalettes && mayReach(ofPalette)) yield* reduced(request, fast)
  if (!Number.isFinite(request.beat()) && mayReach(MIN_SHARE.near)) yield* near(request, limit)
  if (mayReach(MIN_SHARE.exact)) {
    const exact = await encodeExact(request, false)
    if (exact.bytes.length < limit()) yield exact
  }
}
