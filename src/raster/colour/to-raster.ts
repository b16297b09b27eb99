import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { layOutTruecolour, writePng, writePngChunk } from '../../containers/png.ts'
import type { Gamut, Raster } from '../../core/image.ts'
import { fromCodePoints } from './from-code-points.ts'
import { inGamut, readDisplayP3 } from './gamut.ts'
import type { StoredImage } from './stored.ts'

const inBytes = (samples: Uint8Array | Uint16Array): Uint8Array =>
  samples instanceof Uint16Array ? Uint8Array.from(samples, (level) => Math.round(level / 257)) : samples

/** An uncompressed 8-bit PNG with a profile, for colour conversion in sharp. */
const withProfile = (image: StoredImage, icc: Uint8Array): Buffer => {
  const { header, rows } = layOutTruecolour({ ...image, data: inBytes(image.data) })
  return writePng([
    header,
    writePngChunk('iCCP', Buffer.concat([Buffer.from('icc\0\0', 'latin1'), deflateSync(icc, { level: 1 })])),
    writePngChunk('IDAT', deflateSync(rows, { level: 0 })),
  ])
}

const fromProfile = async (image: StoredImage, icc: Uint8Array, gamut: Gamut): Promise<Raster> => {
  const { width, height, channels } = image
  const source = sharp(withProfile(image, icc), { limitInputPixels: false })
  if (gamut === 'p3') return readDisplayP3(source)
  const data = await source.toColourspace('srgb').raw().toBuffer()
  if (data.length !== width * height * channels) throw new Error('Converted to other channels')
  return { width, height, channels, data }
}

/** Converts an image with a profile, code points or neither to 8-bit sRGB or P3. */
export const toRaster = async (image: StoredImage, gamut: Gamut = 'srgb'): Promise<Raster> => {
  const { width, height, channels, data, colours } = image
  if (colours.kind === 'codePoints') return fromCodePoints(image, colours.codePoints, gamut)
  if (colours.kind === 'profile') return fromProfile(image, colours.icc, gamut)
  return inGamut({ width, height, channels, data: inBytes(data) }, gamut)
}
