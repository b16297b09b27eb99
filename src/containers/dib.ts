import { HEADER_SIZES } from '../core/header-sizes.ts'

/** Packing of a device-independent bitmap (wingdi.h: BI_RGB, BI_RLE8, BI_RLE4, BI_BITFIELDS, BI_ALPHABITFIELDS). */
export type DibPacking = 'plain' | 'rle8' | 'rle4' | 'masks'

/** The bits of a channel in a pixel. */
export interface Mask {
  readonly shift: number
  /** Maximum value. 0 when the channel is absent. */
  readonly max: number
}

/** The header of a device-independent bitmap, as in BMP and ICO. */
export interface DibHeader {
  readonly width: number
  readonly height: number
  /** The first row is the top one. */
  readonly topDown: boolean
  /** Bits per pixel: 1, 2, 4, 8, 16, 24 or 32. */
  readonly bits: number
  readonly packing: DibPacking
  readonly masks: { readonly red: Mask; readonly green: Mask; readonly blue: Mask; readonly alpha: Mask }
  /** Offset of the palette from the start of the header, its number of entries and their size. */
  readonly palette: { readonly start: number; readonly count: number; readonly entryBytes: 3 | 4 }
}

const PACKINGS: Readonly<Record<number, DibPacking>> = { 0: 'plain', 1: 'rle8', 2: 'rle4', 3: 'masks', 6: 'masks' }
const BITS: Readonly<Record<DibPacking, ReadonlySet<number>>> = {
  plain: new Set([1, 2, 4, 8, 16, 24, 32]),
  rle8: new Set([8]),
  rle4: new Set([4]),
  masks: new Set([16, 32]),
}
/** OS/2 1.x; OS/2 2.x short and long; Windows 3, its extensions by Adobe, Windows 4 and 5. */
const SIZES: ReadonlySet<number> = new Set([12, 16, 40, 52, 56, 64, 108, 124])

const maskOf = (bits: number): Mask => {
  if (bits === 0) return { shift: 0, max: 0 }
  const shift = 31 - Math.clz32(bits & -bits)
  return { shift, max: bits >>> shift }
}

const masksOf = (red: number, green: number, blue: number, alpha: number): DibHeader['masks'] => ({
  red: maskOf(red),
  green: maskOf(green),
  blue: maskOf(blue),
  alpha: maskOf(alpha),
})

/** Masks in the header, or after one of 40 bytes. Pixels without masks have fixed ones. */
const readMasks = (bytes: Buffer, size: number, bits: number, compression: number): DibHeader['masks'] => {
  if (compression === 3 || compression === 6) {
    const alpha = size >= 56 || compression === 6 ? bytes.readUInt32LE(52) : 0
    return masksOf(bytes.readUInt32LE(40), bytes.readUInt32LE(44), bytes.readUInt32LE(48), alpha)
  }
  return bits === 16 ? masksOf(0x7c00, 0x3e0, 0x1f, 0) : masksOf(0xff0000, 0xff00, 0xff, 0)
}

const readCore = (bytes: Buffer): DibHeader | undefined => {
  const bits = bytes.readUInt16LE(10)
  if (![1, 4, 8, 24].includes(bits)) return undefined
  const palette = { start: 12, count: bits > 8 ? 0 : 2 ** bits, entryBytes: 3 } as const
  const [width, height] = [bytes.readUInt16LE(4), bytes.readUInt16LE(6)]
  return { width, height, topDown: false, bits, packing: 'plain', masks: masksOf(0, 0, 0, 0), palette }
}

/** Reads a bitmap header from its first {@link HEADER_SIZES.dib}. undefined for other data and for unsupported kinds. */
export const readDibHeader = (given: Buffer): DibHeader | undefined => {
  const bytes = Buffer.concat([given, Buffer.alloc(Math.max(0, HEADER_SIZES.dib - given.length))])
  const size = bytes.readUInt32LE(0)
  if (!SIZES.has(size) || given.length < Math.min(size, 16)) return undefined
  if (size === 12) return readCore(bytes)
  const [bits, compression] = [bytes.readUInt16LE(14), size === 16 ? 0 : bytes.readUInt32LE(16)]
  // In OS/2, compression 3 is fax coding.
  const packing = size === 64 && compression > 2 ? undefined : PACKINGS[compression]
  if (packing === undefined || !BITS[packing].has(bits)) return undefined
  const height = bytes.readInt32LE(8)
  const behind = size === 40 && packing === 'masks' ? (compression === 6 ? 16 : 12) : 0
  const used = size === 16 ? 0 : bytes.readUInt32LE(32)
  const most = bits > 8 ? 0 : 2 ** bits
  return {
    width: bytes.readInt32LE(4),
    height: Math.abs(height),
    topDown: height < 0,
    bits,
    packing,
    masks: readMasks(bytes, size, bits, compression),
    palette: { start: size + behind, count: used === 0 ? most : Math.min(used, 256), entryBytes: 4 },
  }
}
