import sharp, { type Sharp } from 'sharp'
import type { Box, Raster } from '../core/image.ts'

/** Uses pixels as sharp input without copying them. */
export const fromPixels = (pixels: Raster): Sharp =>
  sharp(pixels.data, {
    raw: { width: pixels.width, height: pixels.height, channels: pixels.channels },
    limitInputPixels: false,
  })

/**
 * The same in 16 bits, for encoders of ten bits. Decoders scale ten bits by 255 / 1023 and round, or divide by four and truncate as libvips does. Samples lie
 * in the middle of the values that both show as the eight bits: 4 v + 1, from 128 on 4 v + 2. libvips itself stores 4 v, and browsers show white as 254.
 * Opacity takes the full range.
 */
export const inSixteenBits = ({ width, height, channels, data }: Raster): Sharp => {
  const wide = new Uint16Array(data.length)
  for (let i = 0; i < data.length; i++) wide[i] = (data[i]! << 8) + 64 + ((data[i]! >> 7) << 6)
  if (channels === 4) for (let i = 3; i < data.length; i += 4) wide[i] = (data[i]! << 8) + data[i]!
  return sharp(wide, { raw: { width, height, channels }, limitInputPixels: false }).toColourspace('rgb16')
}

/** Decodes one of our own files to 8-bit sRGB with 3 channels, or 4 with transparency. Only `part` of it where it is given. */
export const toPixels = async (bytes: Uint8Array, part?: Box): Promise<Raster> => {
  const file = sharp(bytes, { limitInputPixels: false })
  const { data, info } = await (part === undefined ? file : file.extract(part))
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  const channels = info.channels === 4 ? 4 : 3
  if (info.channels === channels) return { width: info.width, height: info.height, channels, data }
  throw new Error(`A decoded candidate has ${info.channels} channels`)
}
