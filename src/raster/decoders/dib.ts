import type { DibHeader, Mask } from '../../containers/dib.ts'
import { type DibPixels, unpackRle } from './rle.ts'

/** Bytes of a row, padded to 32 bits. */
export const dibRowBytes = (width: number, bits: number): number => Math.ceil((width * bits) / 32) * 4

/** RGB of a palette with 256 entries. Missing ones are black. */
const readPalette = (dib: Buffer, { palette }: DibHeader): Uint8Array => {
  const colours = new Uint8Array(768)
  for (let i = 0; i < palette.count; i++) {
    const at = palette.start + i * palette.entryBytes
    for (let c = 0; c < 3; c++) colours[i * 3 + c] = dib[at + 2 - c] ?? 0
  }
  return colours
}

type ReadRow = (from: number, out: Uint8Array, to: number) => void

const channelOf = (pixel: number, { shift, max }: Mask): number =>
  max === 0 ? 0 : Math.round((((pixel >>> shift) & max) * 255) / max)

const paletteRow = (pixels: Buffer, { width, bits }: DibHeader, colours: Uint8Array): ReadRow => {
  const most = 2 ** bits - 1
  return (from, out, to) => {
    for (let x = 0; x < width; x++) {
      const at = x * bits
      const index = (pixels[from + (at >> 3)]! >> (8 - bits - (at & 7))) & most
      out.set(colours.subarray(index * 3, index * 3 + 3), to + x * 4)
      out[to + x * 4 + 3] = 255
    }
  }
}

const directRow = (pixels: Buffer, { width, bits, masks, packing }: DibHeader, fourth: boolean): ReadRow => {
  const { red, green, blue, alpha } = masks
  if (bits === 24 || (bits === 32 && packing === 'plain')) {
    const step = bits / 8
    return (from, out, to) => {
      for (let x = 0, at = from; x < width; x++, at += step)
        out.set(
          [pixels[at + 2]!, pixels[at + 1]!, pixels[at]!, fourth && step === 4 ? pixels[at + 3]! : 255],
          to + x * 4,
        )
    }
  }
  const read = bits === 16 ? (at: number) => pixels.readUInt16LE(at) : (at: number) => pixels.readUInt32LE(at)
  return (from, out, to) => {
    for (let x = 0; x < width; x++) {
      const pixel = read(from + (x * bits) / 8)
      const opacity = alpha.max === 0 ? 255 : channelOf(pixel, alpha)
      out.set([channelOf(pixel, red), channelOf(pixel, green), channelOf(pixel, blue), opacity], to + x * 4)
    }
  }
}

/** Makes an image opaque when its alpha is zero everywhere. Some programs leave it so, and browsers show such files opaque. */
const opaqueWhereEmpty = (data: Uint8Array): void => {
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 0) return
  for (let at = 3; at < data.length; at += 4) data[at] = 255
}

/**
 * Decodes the pixels of a bitmap with a known header. `fourth`: the fourth byte of 32-bit pixels is alpha, as in icons. Missing rows are
 * transparent.
 */
export const readDibPixels = (dib: Buffer, pixels: Buffer, header: DibHeader, fourth = false): DibPixels => {
  const { width, height, topDown, bits, packing } = header
  const colours = readPalette(dib, header)
  if (packing === 'rle4' || packing === 'rle8') return unpackRle(pixels, header, colours)
  const stride = dibRowBytes(width, bits)
  const readRow = bits <= 8 ? paletteRow(pixels, header, colours) : directRow(pixels, header, fourth)
  const data = new Uint8Array(width * height * 4)
  const whole = Math.min(height, Math.floor((pixels.length + stride - Math.ceil((width * bits) / 8)) / stride))
  for (let row = 0; row < whole; row++) readRow(row * stride, data, (topDown ? row : height - 1 - row) * width * 4)
  if (whole === height) opaqueWhereEmpty(data)
  return { data, truncated: whole < height }
}
