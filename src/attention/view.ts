import type { Box, Extent, Raster } from '../core/image.ts'

/** Opaque sRGB pixels that attention is computed from. */
export type View = Raster<3>

/** A rectangle as fractions 0..1 of the image's sides. */
export interface Region {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Where an image lies, in whole px, that is fitted into a square and centred. */
export const placeLetterbox = (image: Extent, side: number): Box => {
  const scale = side / Math.max(image.width, image.height)
  const width = Math.max(1, Math.round(image.width * scale))
  const height = Math.max(1, Math.round(image.height * scale))
  return { left: (side - width) >> 1, top: (side - height) >> 1, width, height }
}

/** A view turned by 180 degrees. */
export const turnHalf = ({ data, ...size }: View): View => {
  const turned = new Uint8Array(data.length)
  for (let from = 0, to = data.length - 3; to >= 0; from += 3, to -= 3) turned.set(data.subarray(from, from + 3), to)
  return { ...size, data: turned }
}
