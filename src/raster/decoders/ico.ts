import { readFile } from 'node:fs/promises'
import { type DibHeader, readDibHeader } from '../../containers/dib.ts'
import { iconDirectoryBytes, largestIcon } from '../../containers/ico.ts'
import { PNG_SIGNATURE } from '../../containers/png.ts'
import type { StoredImage } from '../colour/stored.ts'
import { type ForeignDecoder, type ForeignSource, requirePixels } from './decoder.ts'
import { dibRowBytes, readDibPixels } from './dib.ts'

/** Applies the mask after the colours. Images of 32 bits have their own alpha. */
const applyMask = (data: Uint8Array, mask: Buffer, { width, height }: DibHeader): void => {
  const stride = dibRowBytes(width, 1)
  if (mask.length < stride * height) return
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      if (((mask[(height - 1 - y) * stride + (x >> 3)]! >> (7 - (x & 7))) & 1) === 1) data[(y * width + x) * 4 + 3] = 0
}

const hasOwnAlpha = (pixels: Buffer, { width, height, bits }: DibHeader): boolean => {
  if (bits !== 32) return false
  for (let at = 3; at < width * height * 4; at += 4) if ((pixels[at] ?? 0) !== 0) return true
  return false
}

const readBitmap = (dib: Buffer, source: ForeignSource): StoredImage => {
  const found = readDibHeader(dib)
  if (found === undefined) throw new Error('ICO: no bitmap')
  // The height includes the mask.
  const header = { ...found, height: Math.floor(found.height / 2) }
  const { width, height, bits, palette } = header
  requirePixels(width, height, source)
  const pixels = dib.subarray(palette.start + palette.count * palette.entryBytes)
  const { data, truncated } = readDibPixels(dib, pixels, header, true)
  if (!hasOwnAlpha(pixels, header)) applyMask(data, pixels.subarray(dibRowBytes(width, bits) * height), header)
  return { width, height, channels: 4, data, colours: { kind: 'srgb' }, truncated }
}

/** Icons and cursors: the largest image, which is a bitmap with a mask or a PNG. */
export const decodeIco: ForeignDecoder = async (source) => {
  const file = await readFile(source.path)
  const place = largestIcon(file.subarray(0, iconDirectoryBytes(file)))
  if (place === undefined) throw new Error('ICO: no image')
  const image = file.subarray(place.start, place.start + place.bytes)
  const isPng = image.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)
  return isPng ? { file: image, profile: source.facts.profile } : readBitmap(image, source)
}
