import type { Raster, Rgb } from '../core/image.ts'
import { flatten, withAlpha } from './flatten.ts'

/** The least alpha that counts as opaque. */
const HALF = 128

/** Every pixel opaque or transparent, cut at half opacity; colours stay. */
export const cutAlpha = (pixels: Raster): Raster => withBinaryAlpha(pixels, pixels, HALF)

/** What is not wholly transparent laid on a colour: exact where the image lies on it. */
export const matteAlpha = (pixels: Raster, background: Rgb): Raster =>
  withBinaryAlpha(withAlpha(flatten(pixels, background)), pixels, 1)

/** The colours of one image, opaque where the alpha of another is at least so much. */
const withBinaryAlpha = (colours: Raster, alphas: Raster, least: number): Raster => {
  if (alphas.channels === 3) return colours
  const data = Uint8Array.from(colours.data)
  for (let at = 3; at < data.length; at += 4) data[at] = alphas.data[at]! >= least ? 255 : 0
  return { ...colours, data }
}
