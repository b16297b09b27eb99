import sharp from 'sharp'
import type { Extent, Raster, Rgb } from '../core/image.ts'
import { flatten } from '../raster/flatten.ts'
import { enlarge } from './enlarge.ts'
import { FACE_NETWORK } from './faces.ts'
import { OBJECT_NETWORK } from './objects.ts'
import { GRID } from './saliency/grid.ts'
import { fitInside, placeLetterbox, type View } from './view.ts'

/** Small opaque views of an image, each for one detector. */
export interface Views {
  /** In the image's shape, at most 640 px long, in several sizes. */
  readonly text: readonly View[]
  /** Stretched to a square and softened. */
  readonly square: View
  readonly small: View
  /** Fitted into a square, centred on black. */
  readonly letterbox: View
}

/** Longest side in px of the view that all others are made from, so that resized copies of a picture give the same views. */
const MAX_SIDE_PX = 640
/** Sizes of the views for text, as shares of that. Soft edges of glyphs become sharp in smaller views. */
const TEXT_SIZES = [1, 0.8, 0.6, 0.5] as const
/** Mean luma of opaque pixels, 0..255, above which the background is dark. */
const BRIGHT = 200
const WHITE: Rgb = { r: 255, g: 255, b: 255 }
const DARK: Rgb = { r: 64, g: 64, b: 64 }

/** Views of pixels of any size. Transparent pixels get a background in contrast to the opaque ones. */
export const makeViews = async (pixels: Raster): Promise<Views> => {
  const size = fitInside(pixels, MAX_SIDE_PX)
  const whole = enlarge(onBackground(await reduce(pixels, size)), size)
  const square = await stretch(whole, OBJECT_NETWORK.side)
  return {
    text: await Promise.all(TEXT_SIZES.map((share) => reduce(whole, fitInside(pixels, share * MAX_SIDE_PX)))),
    square: await soften(square),
    // In two steps: above a factor of 4 libvips starts with whole-pixel means that do not fill the side, which shifts the image.
    small: await stretch(await stretch(square, OBJECT_NETWORK.side / 2), GRID, 'mitchell'),
    letterbox: await letterbox(whole, FACE_NETWORK.side),
  }
}

type Kernel = 'lanczos3' | 'mitchell'

/** Shrinks each side that is longer than `most`. */
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

/** Sigma in px; removes detail that a copy of half the size does not have. */
const SOFTNESS = 1
/** Height at which the Gaussian is cut off. The default of libvips, 0.2, gives less than 1 px of softness. */
const TAIL = 0.02

const soften = async ({ data, width, height }: View): Promise<View> => {
  const soft = sharp(data, { raw: { width, height, channels: 3 } }).blur({ sigma: SOFTNESS, minAmplitude: TAIL })
  return { data: await soft.raw().toBuffer(), width, height, channels: 3 }
}

/** A view fitted into a black square. */
const letterbox = async (view: View, side: number): Promise<View> => {
  const { left, top, width, height } = placeLetterbox(view, side)
  const size = { width, height }
  const { data: inside } = enlarge(await reduce(view, size), size)
  const data = new Uint8Array(side * side * 3)
  for (let y = 0; y < height; y++)
    data.set(inside.subarray(3 * y * width, 3 * (y + 1) * width), 3 * ((top + y) * side + left))
  return { data, width: side, height: side, channels: 3 }
}
