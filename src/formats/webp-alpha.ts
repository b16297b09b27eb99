import { readRiffChunks, writeRiff } from '../containers/riff.ts'
import type { Raster } from '../core/image.ts'
import { WEBP } from '../core/webp-numbers.ts'
import { fromPixels } from '../raster/raw.ts'

/**
 * libwebp's effort 6 tries every way to store transparency: 0.5 to 4.6 s of CPU up to 0.65 megapixels, for 1 to 9 % of the bytes
 * (eight images). It is paid once, for images of at most this number of pixels.
 */
const MAX_PIXELS = 3e5
/** Transparency as a chunk of a file: stored without loss, and the same at every quality. */
const ALPHA_CHUNK = 'ALPH'

/** A lossy WebP of these pixels with its transparency in as few bytes as libwebp finds; undefined where it has none or the image is large. */
export const withSmallestAlpha = async (pixels: Raster, file: Uint8Array): Promise<Uint8Array | undefined> => {
  if (pixels.channels === 3 || pixels.width * pixels.height > MAX_PIXELS) return undefined
  const slowest = await fromPixels(pixels).webp({ quality: 1, effort: WEBP.slowestEffort }).toBuffer()
  const alpha = [...readRiffChunks(slowest)].find(({ type }) => type === ALPHA_CHUNK)?.whole
  if (alpha === undefined) return undefined
  const chunks = [...readRiffChunks(file)].map(({ type, whole }) => (type === ALPHA_CHUNK ? alpha : whole))
  return writeRiff('WEBP', chunks)
}
