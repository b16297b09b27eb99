import sharp from 'sharp'
import type { Raster, Rgb } from '../core/image.ts'
import { flatten } from '../raster/flatten.ts'
import { FACE_SIDE } from './faces.ts'
import { OBJECT_SIDE } from './objects.ts'
import { GRID } from './saliency/grid.ts'
import { placeLetterbox, type View } from './view.ts'

/** Small opaque views of an image, each made for one detector. */
export interface Views {
  /** In its own shape, 640 px long. */
  readonly text: View
  /** Stretched to a square. */
  readonly square: View
  readonly small: View
  /** Fitted into a square, centred on black. */
  readonly letterbox: View
}

/** px; the longest side of the view that all others are made of, whatever the image's own size: so that a smaller or a larger copy looks the same. */
const LONGEST = 640
/** Mean luma of opaque pixels, 0..255, above which white behind them would hide them. */
const BRIGHT = 200
const WHITE: Rgb = { r: 255, g: 255, b: 255 }
const DARK: Rgb = { r: 64, g: 64, b: 64 }

/** Views of pixels of any size. Only the first, which is made large or small is made of all pixels; transparent ones lie on a background that shows what is opaque. */
export const makeViews = async (pixels: Raster): Promise<Views> => {
  const text = onBackground(await bringToSize(pixels))
  const square = await stretch(text, OBJECT_SIDE)
  return { text, square, small: await stretch(square, GRID, 'mitchell'), letterbox: await letterbox(text, FACE_SIDE) }
}

const open = ({ data, width, height, channels }: Raster) =>
  sharp(data, { raw: { width, height, channels }, limitInputPixels: false })

const bringToSize = async (pixels: Raster): Promise<Raster> => {
  const { data, info } = await open(pixels)
    .resize(LONGEST, LONGEST, { fit: 'inside' })
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, channels: pixels.channels, data }
}

const onBackground = (pixels: Raster): View =>
  flatten(pixels, pixels.channels === 4 && lumaOfOpaque(pixels) > BRIGHT ? DARK : WHITE) as View

const lumaOfOpaque = ({ data }: Raster): number => {
  let [luma, alpha] = [0, 0]
  for (let at = 0; at < data.length; at += 4) {
    luma += (0.2126 * data[at]! + 0.7152 * data[at + 1]! + 0.0722 * data[at + 2]!) * data[at + 3]!
    alpha += data[at + 3]!
  }
  return alpha === 0 ? 0 : luma / alpha
}

const stretch = async (view: View, side: number, kernel: 'lanczos3' | 'mitchell' = 'lanczos3'): Promise<View> => {
  const data = await open(view).resize(side, side, { fit: 'fill', kernel }).raw().toBuffer()
  return { data, width: side, height: side, channels: 3 }
}

const letterbox = async (view: View, side: number): Promise<View> => {
  const { left, top, width, height } = placeLetterbox(view, side)
  const inside = await open(view).resize(width, height, { fit: 'fill' }).raw().toBuffer()
  const data = new Uint8Array(side * side * 3)
  for (let y = 0; y < height; y++)
    data.set(inside.subarray(3 * y * width, 3 * (y + 1) * width), 3 * ((top + y) * side + left))
  return { data, width: side, height: side, channels: 3 }
}
