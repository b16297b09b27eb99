import sharp from 'sharp'
import type { Extent, Raster, Rgb } from '../core/image.ts'
import { flatten } from '../raster/flatten.ts'
import { enlarge } from './enlarge.ts'
import { FACE_SIDE } from './faces.ts'
import { OBJECT_SIDE } from './objects.ts'
import { GRID } from './saliency/grid.ts'
import { fitInside, placeLetterbox, type View } from './view.ts'

/** Small opaque views of an image, each made for one detector. */
export interface Views {
  /** In its own shape, 640 px long: what all others are made of. */
  readonly whole: View
  /** In several sizes, that one and less. */
  readonly text: readonly View[]
  /** Stretched to a square, softened. */
  readonly square: View
  readonly small: View
  /** Fitted into a square, centred on black. */
  readonly letterbox: View
}

/** px; the longest side of the view that all others are made of, whatever the image's own size: so that a smaller or a larger copy looks the same. */
const LONGEST = 640
/** Sizes at which text is looked for, as shares of that: glyphs whose edges are soft in a large view are even in a smaller one. */
const TEXT_SIZES = [1, 0.8, 0.6, 0.5] as const
/** Mean luma of opaque pixels, 0..255, above which white behind them would hide them. */
const BRIGHT = 200
const WHITE: Rgb = { r: 255, g: 255, b: 255 }
const DARK: Rgb = { r: 64, g: 64, b: 64 }

/** Views of pixels of any size. Only the first is made of all pixels; transparent ones lie on a background that shows what is opaque. */
export const makeViews = async (pixels: Raster): Promise<Views> => {
  const size = fitInside(pixels, LONGEST)
  const whole = enlarge(onBackground(await reduce(pixels, size)), size)
  const square = await stretch(whole, OBJECT_SIDE)
  return {
    whole,
    text: await Promise.all(TEXT_SIZES.map((share) => reduce(whole, fitInside(pixels, share * LONGEST)))),
    square: await soften(square),
    // In two steps: one of more than 4 is begun by libvips with means of whole px that do not fill a side, and moves what it reduces.
    small: await stretch(await stretch(square, OBJECT_SIDE / 2), GRID, 'mitchell'),
    letterbox: await letterbox(whole, FACE_SIDE),
  }
}

type Kernel = 'lanczos3' | 'mitchell'

/** Brings each side down to `most` where it is longer. */
const reduce = async <T extends Raster>(pixels: T, most: Extent, kernel: Kernel = 'lanczos3'): Promise<T> => {
  const [width, height] = [Math.min(pixels.width, most.width), Math.min(pixels.height, most.height)]
  if (width === pixels.width && height === pixels.height) return pixels
  const { channels } = pixels
  const raw = { width: pixels.width, height: pixels.height, channels }
  const reduced = sharp(pixels.data, { raw, limitInputPixels: false }).resize(width, height, { fit: 'fill', kernel })
  return { ...pixels, width, height, data: await reduced.raw().toBuffer() }
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

const stretch = async (view: View, side: number, kernel?: Kernel): Promise<View> => {
  const square = { width: side, height: side }
  return enlarge(await reduce(view, square, kernel), square)
}

/** px of a view's side: what is finer, a copy of half the size does not have. */
const SOFTNESS = 1
/** Height below which the Gaussian is cut off: libvips' own, a fifth, leaves less than a px of softness. */
const TAIL = 0.02

const soften = async ({ data, width, height }: View): Promise<View> => {
  const soft = sharp(data, { raw: { width, height, channels: 3 } }).blur({ sigma: SOFTNESS, minAmplitude: TAIL })
  return { data: await soft.raw().toBuffer(), width, height, channels: 3 }
}

/** A view fitted into a square of black. */
export const letterbox = async (view: View, side: number): Promise<View> => {
  const { left, top, width, height } = placeLetterbox(view, side)
  const size = { width, height }
  const { data: inside } = enlarge(await reduce(view, size), size)
  const data = new Uint8Array(side * side * 3)
  for (let y = 0; y < height; y++)
    data.set(inside.subarray(3 * y * width, 3 * (y + 1) * width), 3 * ((top + y) * side + left))
  return { data, width: side, height: side, channels: 3 }
}
