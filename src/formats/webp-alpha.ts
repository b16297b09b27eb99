/** Transparency in a lossy WebP: a chunk of its own (RFC 9649, section 2.7.1.2), stored without loss after libwebp has merged levels. */
import { readRiffChunks, writeRiff } from '../containers/riff.ts'
import type { Raster } from '../core/image.ts'
import { WEBP } from '../core/webp-numbers.ts'
import { fromPixels } from '../raster/raw.ts'
import { bindingConstraint } from '../search/margins.ts'
import { decodeWebp } from './decode-webp.ts'
import type { SearchRequest } from './format.ts'

/**
 * libwebp's effort 6 tries every way to store transparency: 0.5 to 4.6 s of CPU up to 0.65 megapixels, for 1 to 9 % of the bytes
 * (eight images). It is paid once, for images of at most this number of pixels.
 */
const MAX_PIXELS = 3e5
const ALPHA_CHUNK = 'ALPH'
/** libwebp's qualities of transparency: they keep all levels, 96, 16, 14, 10 and 6 of them (`QuantizeLevels`). */
export const ALPHA_QUALITIES = [WEBP.finestQuality, 80, 70, 60, 40, 20] as const

const alphaOf = (file: Uint8Array): Uint8Array | undefined =>
  [...readRiffChunks(file)].find(({ type }) => type === ALPHA_CHUNK)?.whole

/** A file with another chunk of transparency. */
const withAlpha = (file: Uint8Array, alpha: Uint8Array): Uint8Array =>
  writeRiff(
    'WEBP',
    [...readRiffChunks(file)].map(({ type, whole }) => (type === ALPHA_CHUNK ? alpha : whole)),
  )

/** The chunk of an image's transparency; its colours are stored as cheaply as they can be. Undefined where nothing is transparent. */
const encodeAlpha = async (pixels: Raster, alphaQuality: number, effort: number): Promise<Uint8Array | undefined> =>
  alphaOf(await fromPixels(pixels).webp({ quality: 1, effort, alphaQuality }).toBuffer())

export interface AlphaTrade {
  /** A lossy file of the image near its bounds, with its transparency. */
  readonly file: Uint8Array
  /** Effort of libwebp for the transparency. */
  readonly effort: number
  /** Rise of the natural logarithm of bytes per point of margin. */
  readonly rise: number
  /** Share of the bytes below which a saving is not looked for. */
  readonly minSaving: number
}

/**
 * libwebp's quality of transparency, 20 to 100, that is expected to take the fewest bytes: coarser levels take fewer themselves and lower the margins,
 * which finer colours then have to make up for. Tries ever coarser ones until one lowers the margins by more than its bytes can save.
 */
export const findAlphaQuality = async (request: SearchRequest, trade: AlphaTrade): Promise<number> => {
  const { pixels, examine } = request
  const { file, effort, rise, minSaving } = trade
  let best = { quality: WEBP.finestQuality as number, cost: Number.POSITIVE_INFINITY }
  if ((alphaOf(file)?.length ?? 0) < file.length * minSaving) return best.quality
  for (const quality of ALPHA_QUALITIES) {
    const alpha = await encodeAlpha(pixels, quality, effort)
    if (alpha === undefined || request.deadline.signal.aborted) break
    const tried = withAlpha(file, alpha)
    // Examined as PNG: contours count in full, because the loop filter does not smooth merged transparency.
    const { margins } = examine(await decodeWebp(tried), 'png', Number.POSITIVE_INFINITY)
    const gained = rise * bindingConstraint(margins)!.margin
    const cost = Math.log(tried.length) - gained
    if (cost < best.cost) best = { quality, cost }
    if (Math.log(tried.length - alpha.length) - gained >= best.cost) break
  }
  return best.quality
}

/** A lossy WebP of these pixels with its transparency in as few bytes as libwebp finds; undefined where it has none or the image is large. */
export const withSmallestAlpha = async (
  pixels: Raster,
  file: Uint8Array,
  alphaQuality: number,
): Promise<Uint8Array | undefined> => {
  if (pixels.channels === 3 || pixels.width * pixels.height > MAX_PIXELS) return undefined
  const alpha = await encodeAlpha(pixels, alphaQuality, WEBP.slowestEffort)
  return alpha && withAlpha(file, alpha)
}
