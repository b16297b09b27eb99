import type { Raster } from '../core/image.ts'

/** Pixels as 32-bit words in machine byte order, for fast exact comparison. RGB gets an opaque alpha. */
export const wordsOf = ({ data, width, height, channels }: Raster): Uint32Array => {
  const count = width * height
  if (channels === 4 && data.byteOffset % 4 === 0) return new Uint32Array(data.buffer, data.byteOffset, count)
  const words = new Uint32Array(count)
  if (channels === 4) {
    new Uint8Array(words.buffer).set(data.subarray(0, count * 4))
    return words
  }
  for (let at = 0, from = 0; at < count; at++, from += 3) {
    words[at] = 0xff000000 | (data[from + 2]! << 16) | (data[from + 1]! << 8) | data[from]!
  }
  return words
}

/** Levels with which decoders replace missing data: 0, and the middle grey of a JPEG without coefficients. */
const isFiller = (level: number): boolean => level === 0 || (level >= 127 && level <= 129)

/** Whether an image has only the decoder's filler in one colour, so nothing of a damaged source was decoded. */
export const isBlank = ({ data, channels }: Raster): boolean => {
  if (!isFiller(data[0]!) || data[1] !== data[0] || data[2] !== data[0]) return false
  for (let at = channels; at < data.length; at++) if (data[at] !== data[at - channels]) return false
  return true
}
