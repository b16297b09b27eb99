import sharp, { type Sharp } from 'sharp'
import type { Raster } from '../core/image.ts'

/** Uses pixels as sharp input without copying them. */
export const fromPixels = (pixels: Raster): Sharp =>
  sharp(pixels.data, {
    raw: { width: pixels.width, height: pixels.height, channels: pixels.channels },
    limitInputPixels: false,
  })

/** Decodes one of our own files to 8-bit sRGB with 3 channels, or 4 with transparency. */
export const toPixels = async (bytes: Uint8Array): Promise<Raster> => {
  const { data, info } = await sharp(bytes, { limitInputPixels: false })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  const channels = info.channels === 4 ? 4 : 3
  if (info.channels === channels) return { width: info.width, height: info.height, channels, data }
  throw new Error(`A decoded candidate has ${info.channels} channels`)
}
