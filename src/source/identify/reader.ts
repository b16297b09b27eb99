import type { FileHandle } from 'node:fs/promises'
import { fail } from '../../core/failure.ts'
import type { SourceFacts } from '../../core/image.ts'

/** What a format's header tells; how many bytes there are is known without it. */
export type HeaderFacts = Omit<SourceFacts, 'bytes'>

/** Reads a header from a file of its format. Fails with SOURCE_DAMAGED or FORMAT_UNSUPPORTED. */
export type ReadHeader = (reader: ByteReader) => Promise<HeaderFacts>

/** Bytes at any offset, of a file or of a buffer. */
export interface ByteReader {
  readonly size: number
  /** Up to `length` bytes; fewer, or none, where the end is nearer. At most 1 MB at once. */
  readonly at: (offset: number, length: number) => Promise<Buffer>
  /** The same bytes when they are at hand, without waiting; undefined when they are not. */
  readonly held: (offset: number, length: number) => Buffer | undefined
  /** Whatever is at hand from there on; at least one byte, unless the end is reached. */
  readonly near: (offset: number) => Promise<Buffer>
}

/** One read of the disk; headers lie close together. */
const WINDOW = 65_536
/** No header needs more at once, whatever length a file claims. */
const MOST_AT_ONCE = 1_048_576

const NOTHING = Buffer.alloc(0)

const clamp = (size: number, offset: number, length: number): number =>
  Number.isSafeInteger(offset) && offset >= 0 ? Math.max(0, Math.min(length, size - offset, MOST_AT_ONCE)) : 0

/** Reads a file through a window, so that walking many small blocks costs few reads. */
export const readFileThrough = (handle: FileHandle, size: number): ByteReader => {
  let start = 0
  let window: Buffer = NOTHING
  const isHeld = (offset: number, count: number): boolean => offset >= start && offset + count <= start + window.length
  const hold = async (offset: number, count: number): Promise<void> => {
    if (isHeld(offset, count)) return
    const fresh = Buffer.allocUnsafe(Math.max(count, Math.min(WINDOW, size - offset)))
    const { bytesRead } = await handle.read(fresh, 0, fresh.length, offset)
    start = offset
    window = fresh.subarray(0, bytesRead)
  }
  const at = async (offset: number, length: number): Promise<Buffer> => {
    const count = clamp(size, offset, length)
    if (count === 0) return NOTHING
    await hold(offset, count)
    return window.subarray(offset - start, offset - start + count)
  }
  return {
    size,
    at,
    held: (offset, length) => {
      const count = clamp(size, offset, length)
      return count > 0 && isHeld(offset, count) ? window.subarray(offset - start, offset - start + count) : undefined
    },
    near: async (offset) => ((await at(offset, 1)).length === 0 ? NOTHING : window.subarray(offset - start)),
  }
}

/** Reads from bytes in memory. */
export const readBytes = (bytes: Buffer): ByteReader => {
  const held = (offset: number, length: number): Buffer =>
    bytes.subarray(offset, offset + clamp(bytes.length, offset, length))
  const at = async (offset: number, length: number): Promise<Buffer> => held(offset, length)
  return { size: bytes.length, at, held, near: (offset) => at(offset, MOST_AT_ONCE) }
}

/** Exactly `length` bytes, or SOURCE_DAMAGED: the file ends where its header should go on. */
export const exactly = async (reader: ByteReader, offset: number, length: number): Promise<Buffer> => {
  const bytes = await reader.at(offset, length)
  if (bytes.length < length) throw fail('SOURCE_DAMAGED')
  return bytes
}

/** Width and height of at least 1, or SOURCE_DAMAGED. */
export const requireExtent = (width: number, height: number): { readonly width: number; readonly height: number } => {
  if (!(width >= 1 && height >= 1)) throw fail('SOURCE_DAMAGED')
  return { width, height }
}
