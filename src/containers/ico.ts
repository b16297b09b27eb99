import { MAX_HEADER_ITEMS } from '../core/untrusted-header.ts'

/** The position of an image in an icon. */
export interface IconEntry {
  readonly start: number
  readonly bytes: number
}

/** Bytes of an ICO's header, and of one entry of its directory (wingdi.h, "Icons"). */
const BYTES = { head: 6, entry: 16 } as const

/** Bytes of an icon's directory, as far as it is read. */
export const iconDirectoryBytes = (head: Buffer): number =>
  BYTES.head + BYTES.entry * (head.length < BYTES.head ? 0 : Math.min(MAX_HEADER_ITEMS, head.readUInt16LE(4)))

/** The largest image of an icon or cursor, and among equal ones that with most bits. undefined for an empty directory. */
export const largestIcon = (directory: Buffer): IconEntry | undefined => {
  if (directory.length < BYTES.head) return undefined
  const isCursor = directory.readUInt16LE(2) === 2
  const entries = Array.from({ length: Math.floor((directory.length - BYTES.head) / BYTES.entry) }, (_, i) => {
    const at = BYTES.head + i * BYTES.entry
    return {
      // A side of 256 is stored as 0.
      side: Math.max(directory[at]! || 256, directory[at + 1]! || 256),
      bits: isCursor ? 0 : directory.readUInt16LE(at + 6),
      bytes: directory.readUInt32LE(at + 8),
      start: directory.readUInt32LE(at + 12),
    }
  })
  return entries.toSorted((a, b) => b.side - a.side || b.bits - a.bits || b.bytes - a.bytes)[0]
}
