/** WebP without loss of its own: exact, of the pixels that a palette or level search found, and nearly without loss. */
import type { Raster } from '../core/image.ts'
import { isDrawnGradient, isMostlyFlat, isPhotograph } from '../plan/shortlist.ts'
import { fromPixels } from '../raster/raw.ts'
import { MAX_COUNTED_COLOURS } from '../raster/survey.ts'
import { ESTIMATE_ERROR, expectedMs, hasTimeFor, lacksTimeFor } from '../search/budget.ts'
import { type Candidate, IDENTICAL, orElse, type SearchRequest, type Step } from './format.ts'
import { searchLevels } from './levels-search.ts'
import { type Indexed, show } from './palette/remap.ts'
import { writeIndexedPng } from './palette/write-png.ts'
import { isColourful, openImagePalettes, searchPalette } from './palette-search.ts'
import { isHasty, quickPalette } from './quick-palette.ts'
import { isSampled } from './sample/sample.ts'
import { smallerOf } from './smaller-of.ts'
import { smaller, verified } from './verified.ts'

const pixelsIn = ({ width, height }: Raster): number => width * height

/** libwebp's effort for lossless files. */
const EFFORT = 4
/**
 * Settings in which libwebp looks for few things. Effort 0 has no prediction: it misses gradients by a factor of 10 and more, and takes half of the bytes of
 * effort 4 of ordered dithers. Of 73 drawings the smaller of the two takes 0.97 to 3.2 of the bytes of effort 4, 1.15 in the median, for 0.65 of its CPU.
 */
const FAST = { direct: { effort: 0 }, predicted: { effort: 1, quality: 20 } } as const
/** zlib's level for estimates. */
const ESTIMATE_LEVEL = 6

interface LosslessSetting {
  readonly effort: number
  /** CPU that libwebp spends on an effort, 0..100. */
  readonly quality?: number
  /** Whether colours under full transparency stay. */
  readonly exact?: boolean
}

const encode = (pixels: Raster, { effort, quality = 80, exact = false }: LosslessSetting): Promise<Uint8Array> =>
  fromPixels(pixels).webp({ lossless: true, effort, quality, exact }).toBuffer()

/** The usual effort, or without prediction: 0.983 of its bytes over 73 drawings, for 1.26 of its CPU. */
const encodeUsual = async (pixels: Raster, exact = false): Promise<Uint8Array> =>
  smallerOf(await encode(pixels, { effort: EFFORT, exact }), await encode(pixels, { ...FAST.direct, exact }))

const encodeDirect = (pixels: Raster): Promise<Uint8Array> => encode(pixels, FAST.direct)

const encodeFast = async (pixels: Raster): Promise<Uint8Array> =>
  smallerOf(await encodeDirect(pixels), await encode(pixels, FAST.predicted))

/**
 * How the last file of an image of some pixels is stored. Effort 6 at quality 100 takes 0.84 of the bytes of effort 4, for 10 CPU seconds per megapixel: 200
 * results of up to 12,000 px as PNG or GIF. Effort 5 at quality 100 takes 0.93 to 1.00 of palettes, for 1.2 to 2.5 s. `minShare` of the usual
 * effort's bytes: 0.84 and more of 60 files of 2,000 to 12,000 px; 0.72 of one of 32 x 32 px.
 */
const STORED = [
  { maxPixels: 4e3, effort: 6, quality: 100, msPerMegapixel: 12_000, minShare: 0.5 },
  { maxPixels: 2e4, effort: 6, quality: 100, msPerMegapixel: 12_000, minShare: 0.84 },
  { maxPixels: 1e5, effort: 5, quality: 100, msPerMegapixel: 2500, minShare: 0.85 },
] as const
const storedAs = (pixels: Raster) => STORED.find(({ maxPixels }) => pixelsIn(pixels) <= maxPixels)

/** Whether an image is too small to be estimated by a part of its pixels. */
const isSmall = (pixels: Raster): boolean => storedAs(pixels)?.effort === 6

/** Pixels without loss, in as few bytes as reasonable time allows. */
const store = async (request: SearchRequest, pixels: Raster, exact = false): Promise<Uint8Array> => {
  const usual = await encodeUsual(pixels, exact)
  const setting = storedAs(pixels)
  if (setting === undefined || usual.length * setting.minShare >= request.bytesToBeat()) return usual
  if (lacksTimeFor(request, (pixelsIn(pixels) / 1e6) * setting.msPerMegapixel)) return usual
  return smallerOf(usual, await encode(pixels, { ...setting, exact }))
}

/**
 * Files of a drawing whose search may not end in time: the exact one, where it has flat areas or few colours, and a palette. Lossy files of
 * such drawings take up to 30 times the bytes, or break bounds. A palette takes 40 to 100 ms per megapixel at the usual effort.
 */
export async function* searchLosslessInHaste(request: SearchRequest): AsyncGenerator<Candidate> {
  const { pixels, features, alone } = request
  const isDrawing = alone && !isPhotograph(features, pixels) && !isSampled(pixels)
  if (!isDrawing || !isHasty(request, expectedMs('webp-lossless', pixels))) return
  if (isMostlyFlat(features) || features.colours <= MAX_COUNTED_COLOURS)
    yield exactOf(request, await encode(pixels, FAST.predicted))
  if (features.colours <= 2 || !hasTimeFor(request, expectedMs('palette-search', pixels))) return
  const palettes = openImagePalettes(pixels)
  // A lossy file is smaller, and a palette of these takes the time of two.
  if (isColourful(palettes)) return
  const proven = quickPalette(request, palettes)
  if (proven === undefined) return
  const bytes = await encode(show(proven.shown, pixels.channels), { effort: EFFORT })
  yield* smaller(request, 'webp', { bytes, ...proven })
}

/** Rows of a band. Some bands estimate the bytes of the whole. */
const BAND_ROWS = 8
/** One of this number of bands, and its encode. Varied images are most often photographs: prediction saves 1 to 25 % of their bytes for 2.5 times the CPU. */
const ESTIMATES = { usual: { every: 4, encode: encodeFast }, varied: { every: 16, encode: encodeDirect } } as const

/** About the bytes of the fastest lossless file, for a share of its CPU. Two samples give the bytes of a further band, without those of the header. */
const estimatedFast = async (
  pixels: Raster,
  { every, encode }: (typeof ESTIMATES)[keyof typeof ESTIMATES],
): Promise<number> => {
  const { data, width, height, channels } = pixels
  const bytes = BAND_ROWS * width * channels
  const bytesOf = async (bands: number): Promise<number> => {
    if (bands === 0) return 0
    const rows = Array.from({ length: bands }, (_, band) => data.subarray(band * every * bytes).subarray(0, bytes))
    const sample = { data: Buffer.concat(rows), width, height: bands * BAND_ROWS, channels }
    return (await encode(sample)).length
  }
  const bands = Math.floor(height / BAND_ROWS / every)
  if (bands === 0) return (await encode(pixels)).length
  const fewer = bands >> 1
  const all = await bytesOf(bands)
  const perBand = (all - (await bytesOf(fewer))) / (bands - fewer)
  return all + perBand * (height / BAND_ROWS - bands)
}

/**
 * Shares of the exact file below which hardly an image came: nearly without loss; in a palette (96 results of drawings); in few levels (0.27 and more of 12
 * searches); stored harder. `ofEstimate`: of the estimate of a palette of a varied image (0.80 and more of those among 35 palettes).
 */
const MIN_SHARE = {
  near: 0.45,
  palette: 0.12,
  paletteOfVaried: 0.2,
  levels: 0.25,
  stored: 0.85,
  ofEstimate: 0.75,
} as const
/**
 * The exact file comes first up to a number of pixels; the fastest one, for a fifth of the CPU, in larger images. `ofFastest`: its share of that, the median of
 * 110 drawings. Some of few bytes take a hundredth.
 */
const EXACT = { maxPixels: 1e6, ofFastest: 0.7 } as const
/**
 * Images of at least this many colours and pixels that are not mostly flat: photographs with a plain ground more often than drawings. Palettes take 0.18
 * and more of their exact file (30 results).
 */
const VARIED = { colours: 65, pixels: 128 * 128 } as const
const isVaried = ({ features, pixels }: SearchRequest): boolean =>
  features.colours >= VARIED.colours && !isMostlyFlat(features) && pixelsIn(pixels) >= VARIED.pixels
/** libwebp's near-lossless levels, the coarsest first. */
const NEAR_LEVELS = [40, 60, 80] as const

/**
 * Palettes, then coarser levels, each stored without loss; `least` are the bytes that the exact file takes at least. Varied images that have a file
 * get no levels, which never were the smallest.
 */
async function* reduced(
  whole: SearchRequest,
  { limit, least }: { readonly limit: () => number; readonly least: number },
): AsyncGenerator<Step> {
  const request = { ...whole, bytesToBeat: limit }
  const { channels } = request.pixels
  const encodeIndexed = (image: Indexed): Promise<Uint8Array> => store(request, show(image, channels))
  const estimate = (image: Indexed): number => writeIndexedPng(image, ESTIMATE_LEVEL).length
  let isPalette = false
  const encoder = { format: 'webp', estimate, encode: encodeIndexed } as const
  const bounded = isVaried(request) ? { ...encoder, minShare: MIN_SHARE.ofEstimate } : encoder
  for await (const step of searchPalette(request, bounded)) {
    isPalette ||= step.kind === 'candidate'
    yield orElse(step, least)
  }
  if (isPalette || !request.alone || limit() < least * MIN_SHARE.levels) return
  if (isVaried(request) && Number.isFinite(whole.bytesToBeat())) return
  const levels = { format: 'webp', lossless: least, encode: (pixels: Raster) => store(request, pixels) } as const
  yield* searchLevels(request, levels)
}

/** The coarsest near-lossless file that keeps the promise. */
async function* near(request: SearchRequest, limit: () => number): AsyncGenerator<Candidate> {
  const { pixels } = request
  for (const quality of NEAR_LEVELS) {
    if (lacksTimeFor(request, expectedMs('webp-lossless', pixels))) return
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

const exactOf = (request: SearchRequest, bytes: Uint8Array): Candidate => {
  request.encoded()
  return { kind: 'candidate', format: 'webp', bytes, examined: IDENTICAL, lossless: true }
}

/** The exact pixels; what hides under full transparency may change unless `exact`. */
export const encodeExact = async (request: SearchRequest, exact: boolean): Promise<Candidate> =>
  exactOf(request, await store(request, request.pixels, exact))

/** Whether a file without loss may take a hundredth of the fastest one. */
const isSimple = ({ features }: SearchRequest): boolean => isMostlyFlat(features) || isDrawnGradient(features)

/**
 * The exact file at the usual effort, as a bound for everything else, and the least bytes of the exact file. Large images, and those whose
 * exact file would exceed `limit` by far, have the fastest one instead, or its estimate.
 */
const openBound = async (request: SearchRequest, limit: number, estimated: number | undefined) => {
  const { pixels } = request
  const isLarge = pixelsIn(pixels) > EXACT.maxPixels
  const isMeasured = isLarge || (isSmall(pixels) && !isSimple(request))
  const fastest = isMeasured ? (await encodeFast(pixels)).length : estimated
  if (fastest !== undefined) {
    const least = fastest * EXACT.ofFastest
    if (isLarge || least > limit * ESTIMATE_ERROR) return { bytes: fastest, least }
  }
  const bytes = await encodeUsual(pixels)
  return {
    exact: exactOf(request, bytes),
    bytes: bytes.length,
    least: bytes.length * (storedAs(pixels)?.minShare ?? MIN_SHARE.stored),
  }
}

/** About the bytes of the fastest lossless file, where a part of the rows shows them: bands of gradients take far more than their part of the whole. */
const estimateOf = async (request: SearchRequest): Promise<number | undefined> => {
  const { pixels } = request
  if (isSimple(request) || isSmall(pixels)) return undefined
  return await estimatedFast(pixels, ESTIMATES[isVaried(request) ? 'varied' : 'usual'])
}

/** Bytes that a file must stay below, read before each step: of files without loss; of palettes, few levels and nearly lossless files. */
export interface LosslessLimits {
  readonly exact: () => number
  readonly reduced: () => number
}

/** Files that libwebp stores without loss, and that may stay below their limits. */
export async function* searchLossless(
  request: SearchRequest,
  { exact: limit, reduced: limitOfReduced }: LosslessLimits,
): AsyncGenerator<Step> {
  const { pixels, features, deadline } = request
  const isKept = Number.isFinite(request.bytesToBeat())
  const isPhoto = isPhotograph(features, pixels)
  // Hardly a photograph is smaller without loss, so that its result is complete without a try. A try takes two thirds of a large one's CPU.
  if (isPhoto && isKept && isSampled(pixels) && !isDrawnGradient(features)) return
  if (deadline.signal.aborted || !hasTimeFor(request, expectedMs('webp-lossless', pixels)))
    return isPhoto && isKept ? undefined : request.outOfTime()
  const triesPalettes = !isPhoto && features.colours > 2
  const palette = isVaried(request) ? MIN_SHARE.paletteOfVaried : MIN_SHARE.palette
  const share = triesPalettes ? palette : isKept ? MIN_SHARE.stored : MIN_SHARE.near
  const estimated = await estimateOf(request)
  if (estimated !== undefined && estimated * EXACT.ofFastest * share > limitOfReduced() * ESTIMATE_ERROR) return
  const { exact, bytes, least } = await openBound(request, limit(), estimated)
  if (exact !== undefined && bytes < limit()) yield exact
  if (triesPalettes && bytes * palette < limitOfReduced()) yield* reduced(request, { limit: limitOfReduced, least })
  if (!isKept && bytes * MIN_SHARE.near < limitOfReduced()) yield* near(request, limitOfReduced)
  if (least >= limit()) return
  const stored = await encodeExact({ ...request, bytesToBeat: limit }, false)
  if (stored.bytes.length < limit()) yield stored
}
