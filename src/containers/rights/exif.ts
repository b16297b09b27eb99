import { HEADER_SIZES } from '../../core/header-sizes.ts'
import type { Orientation } from '../../core/image.ts'
import { PIECE_BYTES } from '../../core/piece-bytes.ts'
import { MAX_HEADER_ITEMS } from '../../core/untrusted-header.ts'
import { cleanText, type Rights, type RightsField, textOfBytes } from './fields.ts'

/** Tags of TIFF 6.0, section 8. */
export const TIFF_TAG = { orientation: 0x0112, artist: 0x013b, copyright: 0x8298 } as const
const TAGS: ReadonlyMap<number, RightsField> = new Map([
  [TIFF_TAG.artist, 'artist'],
  [TIFF_TAG.copyright, 'copyright'],
])

/** Types of TIFF 6.0, section 2. */
const TYPE = { ascii: 2, short: 3 } as const

/** Numbers in the byte order of the file. */
const readerOf = (tiff: Buffer) => {
  const little = tiff.toString('latin1', 0, 2) === 'II'
  return {
    u16: (at: number): number => (little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at)),
    u32: (at: number): number => (little ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at)),
  }
}

/** `photographer\0editor\0` becomes `photographer; editor` (CIPA DC-008, tag Copyright). */
const textOf = (bytes: Buffer): string =>
  textOfBytes(bytes)
    .split('\0')
    .map(cleanText)
    .filter((part) => part !== '')
    .join('; ')

/** Artist and Copyright of an Exif block (TIFF, with or without the prefix of JPEG). Empty when it is damaged. */
export const readExifRights = (block: Uint8Array): Rights => {
  const whole = Buffer.from(block.buffer, block.byteOffset, block.length)
  const tiff = whole.toString('latin1', 0, 4) === 'Exif' ? whole.subarray(6) : whole
  const found = new Map<RightsField, readonly string[]>()
  if (tiff.length < 10) return found
  const { u16, u32 } = readerOf(tiff)
  const first = u32(4)
  // The first of several counts: all of them may point to the same megabytes.
  const seen = new Set<RightsField>()
  const count = first + 2 <= tiff.length ? Math.min(u16(first), MAX_HEADER_ITEMS) : 0
  for (
    let at = first + 2;
    at < first + 2 + count * HEADER_SIZES.tiffEntry && at + HEADER_SIZES.tiffEntry <= tiff.length;
    at += HEADER_SIZES.tiffEntry
  ) {
    const field = TAGS.get(u16(at))
    const length = u32(at + 4)
    if (field === undefined || seen.has(field) || u16(at + 2) !== TYPE.ascii) continue
    seen.add(field)
    const start = length <= 4 ? at + 8 : u32(at + 8)
    // A block in a JPEG has no longer values.
    const text = textOf(tiff.subarray(start, start + Math.min(length, PIECE_BYTES)))
    if (text !== '') found.set(field, [text])
  }
  return found
}

interface Entry {
  readonly tag: number
  readonly type: number
  readonly count: number
  readonly value: Buffer
}

const textEntry = (tag: number, texts: readonly string[]): Entry => {
  const value = Buffer.from(`${texts.join('; ')}\0`, 'utf8')
  return { tag, type: TYPE.ascii, count: value.length, value }
}

const orientationEntry = (orientation: Orientation): Entry => ({
  tag: TIFF_TAG.orientation,
  type: TYPE.short,
  count: 1,
  value: Buffer.of(0, orientation),
})

/** The smallest Exif block (TIFF 6.0, big-endian, one directory) with these rights and an orientation other than 1. undefined when it would be empty. */
export const writeExifRights = (rights: Rights, orientation: Orientation): Buffer | undefined => {
  const entries = [
    ...(orientation === 1 ? [] : [orientationEntry(orientation)]),
    ...[...TAGS].flatMap(([tag, field]) => {
      const texts = rights.get(field)
      return texts === undefined ? [] : [textEntry(tag, texts)]
    }),
  ]
  if (entries.length === 0) return undefined
  const directory = Buffer.alloc(8 + 2 + entries.length * HEADER_SIZES.tiffEntry + 4)
  directory.set([0x4d, 0x4d, 0, 42, 0, 0, 0, 8])
  directory.writeUInt16BE(entries.length, 8)
  const values: Buffer[] = []
  let end = directory.length
  for (const [i, { tag, type, count, value }] of entries.entries()) {
    const at = 10 + i * HEADER_SIZES.tiffEntry
    directory.writeUInt16BE(tag, at)
    directory.writeUInt16BE(type, at + 2)
    directory.writeUInt32BE(count, at + 4)
    if (value.length <= 4) directory.set(value, at + 8)
    else {
      directory.writeUInt32BE(end, at + 8)
      // Values begin at even offsets (TIFF 6.0, section 2).
      const padded = value.length % 2 === 0 ? value : Buffer.concat([value, Buffer.of(0)])
      values.push(padded)
      end += padded.length
    }
  }
  return Buffer.concat([directory, ...values])
}
