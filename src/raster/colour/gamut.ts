import type { Sharp } from 'sharp'
import type { Gamut, Raster, Rgb } from '../../core/image.ts'
import { fromCodePoints } from './from-code-points.ts'

const SRGB = { primaries: 1, transfer: 13 }

/** Converts sRGB pixels to the codes of a gamut. Colours stay the same. */
export const inGamut = (srgb: Raster, gamut: Gamut): Raster =>
  gamut === 'srgb' ? srgb : fromCodePoints(srgb, SRGB, gamut)

/** Converts an sRGB colour to the codes of a gamut. */
export const colourInGamut = ({ r, g, b }: Rgb, gamut: Gamut): Rgb => {
  const { data } = inGamut({ width: 1, height: 1, channels: 3, data: Uint8Array.of(r, g, b) }, gamut)
  return { r: data[0]!, g: data[1]!, b: data[2]! }
}

/**
 * Converts an RGB image with a profile to 8-bit Display P3. libvips' pipeline works in P3 with 16 bits, but in sRGB with 8 bits, which
 * would clip wide colours.
 */
export const readDisplayP3 = async (image: Sharp): Promise<Raster> => {
  const { data, info } = await image
    .pipelineColourspace('rgb16')
    .toColourspace('rgb16')
    .raw({ depth: 'ushort' })
    .toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  if (channels !== 3 && channels !== 4) throw new Error(`Decoded to ${channels} channels`)
  const samples = new Uint16Array(data.buffer, data.byteOffset, data.length / 2)
  return { width, height, channels, data: Uint8Array.from(samples, (level) => Math.round(level / 257)) }
}
