import sharp, { type Sharp } from 'sharp'
import type { AnyRaster } from '../../src/core/image.ts'

/** Decodes a file or encoded bytes to 8-bit sRGB; colour profiles are not applied. */
export const readRaster = async (input: string | Buffer): Promise<AnyRaster> => {
  const { data, info } = await sharp(input).toColourspace('srgb').raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height, channels: info.channels as AnyRaster['channels'] }
}

/** The raster as an input for sharp. */
export const asSharp = ({ data, width, height, channels }: AnyRaster): Sharp =>
  sharp(data, { raw: { width, height, channels } })
