import sharp from 'sharp'
import type { Orientation, Raster } from '../core/image.ts'

type Image = ReturnType<typeof sharp>

const open = ({ data, width, height, channels }: Raster): Image =>
  sharp(data, { raw: { width, height, channels }, limitInputPixels: false })

const close = async (image: Image): Promise<Raster> => {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, channels: info.channels as 3 | 4, data }
}

/** Inverse of EXIF orientations: mirror horizontally first, then rotate clockwise. */
const TURNS: Readonly<Record<Orientation, { readonly flop: boolean; readonly angle: number }>> = {
  1: { flop: false, angle: 0 },
  2: { flop: true, angle: 0 },
  3: { flop: false, angle: 180 },
  4: { flop: true, angle: 180 },
  5: { flop: true, angle: 270 },
  6: { flop: false, angle: 90 },
  7: { flop: true, angle: 90 },
  8: { flop: false, angle: 270 },
}

/** Applies an orientation to a frame. */
export const turnUpright = async (frame: Raster, orientation: Orientation): Promise<Raster> => {
  if (orientation === 1) return frame
  const { flop, angle } = TURNS[orientation]
  const mirrored = flop ? await close(open(frame).flop()) : frame
  return angle === 0 ? mirrored : close(open(mirrored).rotate(angle))
}
