import type { DibHeader } from '../../containers/dib.ts'

/** RGBA pixels of a bitmap, top row first. */
export interface DibPixels {
  readonly data: Uint8Array
  /** The file ends before its pixels. */
  readonly truncated: boolean
}

/** Escapes of run-length coding (wingdi.h, "Bitmap Compression"). */
const ESCAPE = { endOfLine: 0, end: 1, delta: 2 } as const

/**
 * Decodes RLE8 and RLE4, with rows from the bottom up. Skipped pixels are transparent, as in browsers. A run ends with its row.
 */
export const unpackRle = (bytes: Buffer, { width, height, bits }: DibHeader, colours: Uint8Array): DibPixels => {
  const data = new Uint8Array(width * height * 4)
  let [x, y, at] = [0, 0, 0]
  const put = (index: number): void => {
    if (x >= width || y >= height) return
    const to = ((height - 1 - y) * width + x) * 4
    data.set(colours.subarray(index * 3, index * 3 + 3), to)
    data[to + 3] = 255
    x++
  }
  /** The palette index at a position of packed pixels that start at a byte. */
  const indexAt = (start: number, place: number): number => {
    if (bits === 8) return bytes[start + place]!
    const pair = bytes[start + (place >> 1)]!
    return (place & 1) === 0 ? pair >> 4 : pair & 15
  }
  while (at + 1 < bytes.length && y < height) {
    const [count, value] = [bytes[at]!, bytes[at + 1]!]
    at += 2
    if (count > 0)
      for (let i = 0; i < count && x < width; i++) put(bits === 8 ? value : i % 2 === 0 ? value >> 4 : value & 15)
    else if (value === ESCAPE.end) return { data, truncated: false }
    else if (value === ESCAPE.endOfLine) [x, y] = [0, y + 1]
    else if (value === ESCAPE.delta) {
      x += bytes[at] ?? 0
      y += bytes[at + 1] ?? 0
      at += 2
    } else {
      const length = Math.ceil((value * bits) / 8)
      const left = Math.max(0, Math.floor(((bytes.length - at) * 8) / bits))
      for (let i = 0; i < Math.min(value, left) && x < width; i++) put(indexAt(at, i))
      // Padded to 16 bits.
      at += length + (length & 1)
    }
  }
  return { data, truncated: y < height - 1 || (y === height - 1 && x < width) }
}
