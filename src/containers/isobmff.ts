import { HEADER_SIZES } from '../core/header-sizes.ts'

/** A box of an ISO base media file in memory: offsets of the box, of its content, and of its end. */
export interface FileBox {
  readonly name: string
  readonly at: number
  readonly start: number
  readonly end: number
}

/** The boxes between two offsets in order. Ends at the first thing that is no box. */
export function* boxesOf(file: Buffer, from: number, to: number): Generator<FileBox> {
  for (let at = from; at + 8 <= to; ) {
    const size = file.readUInt32BE(at)
    if (size < 8) return
    yield { name: file.toString('latin1', at + 4, at + 8), at, start: at + 8, end: at + size }
    at += size
  }
}

/** The first box with a name inside another one. Throws without one. */
export const requireBox = (file: Buffer, within: Pick<FileBox, 'start' | 'end'>, name: string): FileBox => {
  for (const box of boxesOf(file, within.start, within.end)) if (box.name === name) return box
  throw new Error(`An AVIF without ${name}`)
}

/** Throws unless a FullBox has version 0 and no flags. */
export const requirePlain = (file: Buffer, { name, start }: FileBox): void => {
  if (file.readUInt32BE(start) !== 0) throw new Error(`${name} of another version`)
}

/** Increases the stored size of a box. */
export const growBox = (file: Buffer, { at }: FileBox, by: number): void => {
  file.writeUInt32BE(file.readUInt32BE(at) + by, at)
}

/** Moves all items by a number of bytes in iloc, version 0. It has sizes in half bytes, then for each item its number, a reference, its offset and its extents. */
export const moveItems = (file: Buffer, iloc: FileBox, by: number): void => {
  requirePlain(file, iloc)
  const sizes = file.readUInt16BE(iloc.start + HEADER_SIZES.fullBox)
  if (sizes !== 0x4440) throw new Error('iloc of other sizes')
  let at = iloc.start + HEADER_SIZES.fullBox + 4
  for (let left = file.readUInt16BE(at - 2); left > 0; left--) {
    file.writeUInt32BE(file.readUInt32BE(at + 4) + by, at + 4)
    at += 10 + file.readUInt16BE(at + 8) * 8
  }
}

/** A box of ISO/IEC 14496-12: its length, its four-letter name, its parts. */
export const writeBox = (name: string, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + content.length)
  head.write(name, 4, 'latin1')
  return Buffer.concat([head, content])
}
