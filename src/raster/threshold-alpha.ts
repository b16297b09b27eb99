import type { Raster, Rgb } from '../core/image.ts'
import { flatten, withAlpha } from './flatten.ts'

/** The minimum alpha that counts as opaque. */
const OPAQUE_ALPHA = 128

/** Makes every pixel opaque or transparent, with the threshold at half opacity. Colours stay. */
export const cutAlpha = (pixels: Raster): Raster => withBinaryAlpha(pixels, pixels, OPAQUE_ALPHA)

/** Blends all pixels that are not fully transparent with a colour, and makes them opaque. */
export const matteAlpha = (pixels: Raster, background: Rgb): Raster =>
  withBinaryAlpha(withAlpha(flatten(pixels, background)), pixels, 1)

/** The colours of one image, opaque where the alpha of another is at least `least`. */
const withBinaryAlpha = (colours: Raster, alphas: Raster, least: number): Raster => {
  if (alphas.channels === 3) return colours
  const data = Uint8Array.from(colours.data)
  for (let at = 3; at < data.length; at += 4) data[at] = alphas.data[at]! >= least ? 255 : 0
  return { ...colours, data }
}
