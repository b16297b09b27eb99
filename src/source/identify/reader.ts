import type { FileHandle } from 'node:fs/promises'
import { fail } from '../../core/failure.ts'
import type { SourceFacts } from '../../core/image.ts'
import { PIECE_BYTES } from '../../core/piece-bytes.ts'

/** Facts from a format's header. */
export type HeaderFacts = Omit<SourceFacts, 'bytes'>

/** Bytes that contain the longest header of a frame or a file: an ftyp box with all brands, or the headers of AV1. */
export const HEAD_BYTES = 256

/** Reads a header from a file of its format. Fails with SOURCE_DAMAGED or FORMAT_UNSUPPORTED. */
export type ReadHeader = (reader: ByteReader) => Promise<HeaderFacts>

/** Reads bytes at any offset of a file or a buffer. */
export interface ByteReader {
  readonly size: number
  /** Up to `length` bytes, fewer at the end of the file. At most 1 MB per call. */
  readonly at: (offset: number, length: number) => Promise<Buffer>
  /** The same bytes if the window holds them, synchronously. undefined otherwise. */
  readonly held: (offset: number, length: number) => Buffer | undefined
  /** All bytes that the window holds from `offset` on: at least one, unless the file ends there. */
  readonly near: (offset: number) => Promise<Buffer>
}

/** Maximum bytes of one call. No header needs more, whatever length a file claims. */
const MAX_BYTES_PER_READ = 1_048_576

const NO_BYTES = Buffer.alloc(0)

const clamp = (size: number, offset: number, length: number): number =>
  Number.isSafeInteger(offset) && offset >= 0 ? Math.max(0, Math.min(length, size - offset, MAX_BYTES_PER_READ)) : 0

/**
 * Reads a file through a window, so that a walk over small blocks causes few reads. The window starts as `known`, the first bytes of the file.
 * Calls `open` for other bytes.
 */
export const readFileThrough = (
  open: () => Promise<FileHandle>,
  size: number,
  known: Buffer = NO_BYTES,
): ByteReader => {
  let start = 0
  let window: Buffer = known
  const isHeld = (offset: number, count: number): boolean => offset >= start && offset + count <= start + window.length
  const hold = async (offset: number, count: number): Promise<void> => {
    if (isHeld(offset, count)) return
    const fresh = Buffer.allocUnsafe(Math.max(count, Math.min(PIECE_BYTES, size - offset)))
    const handle = await open()
    const { bytesRead } = await handle.read(fresh, 0, fresh.length, offset)
    start = offset
    window = fresh.subarray(0, bytesRead)
  }
  const at = async (offset: number, length: number): Promise<Buffer> => {
    const count = clamp(size, offset, length)
    if (count === 0) return NO_BYTES
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
    near: async (offset) => ((await at(offset, 1)).length === 0 ? NO_BYTES : window.subarray(offset - start)),
  }
}

/** Reads from bytes in memory. */
export const readBytes = (bytes: Buffer): ByteReader => {
  const held = (offset: number, length: number): Buffer =>
    bytes.subarray(offset, offset + clamp(bytes.length, offset, length))
  const at = async (offset: number, length: number): Promise<Buffer> => held(offset, length)
  return { size: bytes.length, at, held, near: (offset) => at(offset, MAX_BYTES_PER_READ) }
}

/** Exactly `length` bytes. Fails with SOURCE_DAMAGED when the file ends before them. */
export const exactly = async (reader: ByteReader, offset: number, length: number): Promise<Buffer> => {
  const bytes = await reader.at(offset, length)
  if (bytes.length < length) throw fail('SOURCE_DAMAGED')
  return bytes
}

/** Width and height. Fails with SOURCE_DAMAGED unless both are at least 1. */
export const requireExtent = (width: number, height: number): { readonly width: number; readonly height: number } => {
  if (!(width >= 1 && height >= 1)) throw fail('SOURCE_DAMAGED')
  return { width, height }
}
