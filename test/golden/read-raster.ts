import sharp, { type Sharp } from 'sharp'
import type { Raster } from '../../src/metric/raster.ts'

/** Decodes a file or encoded bytes to 8-bit sRGB; colour profiles are not applied. */
export const readRaster = async (input: string | Buffer): Promise<Raster> => {
  const { data, info } = await sharp(input).toColourspace('srgb').raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height, channels: info.channels as Raster['channels'] }
}

/** The raster as an input for sharp. */
export const asSharp = ({ data, width, height, channels }: Raster): Sharp =>
  sharp(data, { raw: { width, height, channels } })
