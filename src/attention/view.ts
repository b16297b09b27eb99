import type { Box, Extent, Raster } from '../core/image.ts'

/** Opaque sRGB pixels for the detectors. */
export type View = Raster<3>

/** A rectangle as fractions 0..1 of the image's sides. */
export interface Region {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The size, in whole px, of an image scaled so that its longer side is `side`. */
export const fitInside = (image: Extent, side: number): Extent => {
  const scale = side / Math.max(image.width, image.height)
  return {
    width: Math.max(1, Math.round(image.width * scale)),
    height: Math.max(1, Math.round(image.height * scale)),
  }
}

/** The box, in whole px, of an image fitted into a square, with equal margins, so that it mirrors with the square. */
export const placeLetterbox = (image: Extent, side: number): Box => {
  const { width, height } = fitInside(image, side)
  const [left, top] = [(side - width) >> 1, (side - height) >> 1]
  return { left, top, width: side - 2 * left, height: side - 2 * top }
}

/** The mirror image of a view: left and right swap. */
export const mirror = ({ data, ...size }: View): View => {
  const mirrored = new Uint8Array(data.length)
  const row = 3 * size.width
  for (let start = 0; start < data.length; start += row) {
    for (let from = start, to = start + row - 3; to >= start; from += 3, to -= 3) {
      mirrored[to] = data[from]!
      mirrored[to + 1] = data[from + 1]!
      mirrored[to + 2] = data[from + 2]!
    }
  }
  return { ...size, data: mirrored }
}
