import sharp, { type Sharp } from 'sharp'
import type { Raster } from '../core/image.ts'

/** Wraps pixels as sharp input without copying them. */
export const fromPixels = (pixels: Raster): Sharp =>
  sharp(pixels.data, {
    raw: { width: pixels.width, height: pixels.height, channels: pixels.channels },
    limitInputPixels: false,
  })

/** Decodes an encoded file of our own to 8-bit sRGB pixels with 3 channels, or 4 when it has transparency. */
export const toPixels = async (bytes: Uint8Array): Promise<Raster> => {
  const { data, info } = await sharp(bytes, { limitInputPixels: false })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  const channels = info.channels === 4 ? 4 : 3
  if (info.channels === channels) return { width: info.width, height: info.height, channels, data }
  throw new Error(`A decoded candidate has ${info.channels} channels`)
}
