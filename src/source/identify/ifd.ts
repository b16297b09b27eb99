import { TIFF_TAG } from '../../containers/rights/exif.ts'
import type { Orientation } from '../../core/image.ts'
import { MAX_HEADER_ITEMS } from '../../core/untrusted-header.ts'
import { type ByteReader, exactly } from './reader.ts'

/** A directory of a TIFF structure: a page of a TIFF file, or an EXIF block. */
export interface Directory {
  /** Bytes of its entries, as claimed. */
  readonly size: number
  /** First value of a tag. undefined when it is absent or no whole number. */
  readonly number: (tag: number) => Promise<number | undefined>
  /** The bytes of a tag's values, at most 1 MB. undefined when absent or truncated. */
  readonly bytes: (tag: number) => Promise<Buffer | undefined>
  /** The offset of the next directory. 0 when there is none. */
  readonly next: () => Promise<number>
}

/** Bytes of one value, by TIFF type. */
const TYPE_BYTES: Readonly<Record<number, number>> = {
  1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8,
} // biome-ignore format: a table

/** Byte order and kind: offsets have 32 bits in classic TIFF and 64 in BigTIFF. */
interface Layout {
  readonly little: boolean
  readonly big: boolean
}

const unsigned = (bytes: Buffer, { little }: Layout, at: number, size: number): number => {
  if (size === 1) return bytes.readUInt8(at)
  if (size === 2) return little ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at)
  if (size === 4) return little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at)
  return Number(little ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at))
}

const layoutOf = (head: Buffer): Layout | undefined => {
  const mark = head.toString('latin1', 0, 4)
  if (mark === 'II*\0' || mark === 'II+\0') return { little: true, big: mark[2] === '+' }
  if (mark === 'MM\0*' || mark === 'MM\0+') return { little: false, big: mark[3] === '+' }
  return undefined
}

/** Whole-number types. Values of other types are ignored. */
const WHOLE: ReadonlySet<number> = new Set([1, 3, 4, 6, 7, 8, 9, 13, 16, 17, 18])

/**
 * Opens the directory at an offset. Default: the first one. undefined when the structure has no TIFF header. Fails with
 * SOURCE_DAMAGED when it is truncated.
 */
export const openDirectory = async (reader: ByteReader, offset?: number): Promise<Directory | undefined> => {
  const layout = layoutOf(await reader.at(0, 4))
  if (layout === undefined) return undefined
  const wide = layout.big ? 8 : 4
  const entryBytes = layout.big ? 20 : 12
  const countBytes = layout.big ? 8 : 2
  const start = offset ?? unsigned(await exactly(reader, layout.big ? 8 : 4, wide), layout, 0, wide)
  const claimed = unsigned(await exactly(reader, start, countBytes), layout, 0, countBytes)
  const table = Buffer.from(await reader.at(start + countBytes, Math.min(claimed, MAX_HEADER_ITEMS) * entryBytes))

  const entryAt = (tag: number): number => {
    for (let at = 0; at + entryBytes <= table.length; at += entryBytes)
      if (unsigned(table, layout, at, 2) === tag) return at
    return -1
  }
  const bytes = async (tag: number): Promise<Buffer | undefined> => {
    const at = entryAt(tag)
    if (at < 0) return undefined
    const length = (TYPE_BYTES[unsigned(table, layout, at + 2, 2)] ?? 0) * unsigned(table, layout, at + 4, wide)
    const value = at + 4 + wide
    if (length <= wide) return table.subarray(value, value + length)
    const found = await reader.at(unsigned(table, layout, value, wide), length)
    return found.length === length ? found : undefined
  }
  return {
    size: claimed * entryBytes,
    bytes,
    next: async () => {
      const found = await reader.at(start + countBytes + claimed * entryBytes, wide)
      return found.length === wide ? unsigned(found, layout, 0, wide) : 0
    },
    number: async (tag) => {
      const found = await bytes(tag)
      const type = found === undefined ? 0 : unsigned(table, layout, entryAt(tag) + 2, 2)
      const size = TYPE_BYTES[type] ?? 0
      return found !== undefined && WHOLE.has(type) && found.length >= size
        ? unsigned(found, layout, 0, size)
        : undefined
    },
  }
}

/** The orientation tag of a directory. Values outside of 1 to 8 mean upright, as in browsers. */
export const orientationIn = async (directory: Directory | undefined): Promise<Orientation> => {
  const value = (await directory?.number(TIFF_TAG.orientation)) ?? 1
  return value >= 1 && value <= 8 ? (value as Orientation) : 1
}
