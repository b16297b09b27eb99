import { sizeOfVp8 } from '../../containers/webp.ts'
import { fail } from '../../core/failure.ts'
import { HEADER_SIZES } from '../../core/header-sizes.ts'
import type { Orientation } from '../../core/image.ts'
import { equivalentOfVp8 } from './equivalent-quality.ts'
import { orientationOf } from './exif.ts'
import { classifyProfile } from './icc.ts'
import { type ByteReader, exactly, HEAD_BYTES, type HeaderFacts, type ReadHeader, requireExtent } from './reader.ts'
import { quantiserOfVp8 } from './vp8-quality.ts'

/** Bounds of reading. Chosen, not measured: each frame of an animation is one chunk. */
const MAX = {
  /** Chunks that are read. */
  chunks: 100_000,
  /** Bytes of a chunk that is kept. */
  chunkBytes: 1_000_000,
} as const

/** Flags of VP8X (RFC 9649, section 2.7.1). */
const FLAG = { alpha: 0x10, animation: 0x02 } as const

const plain = (width: number, height: number, alpha: boolean): HeaderFacts => ({
  format: 'webp',
  ...requireExtent(width, height),
  frames: 1,
  alpha,
  orientation: 1,
  profile: 'none',
  depth: 8,
})

/** A lossy key frame. */
const readLossy = (bytes: Buffer): HeaderFacts => {
  const key = bytes.length >= 10 && ((bytes[0] ?? 1) & 1) === 0
  if (!key || bytes.toString('latin1', 3, 6) !== '\x9d\x01\x2a') throw fail('SOURCE_DAMAGED')
  const { width, height } = sizeOfVp8(bytes)
  return plain(width, height, false)
}

const readLossless = (bytes: Buffer): HeaderFacts => {
  if (bytes.length < 5 || bytes[0] !== 0x2f) throw fail('SOURCE_DAMAGED')
  const bits = bytes.readUInt32LE(1)
  return plain((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1, ((bits >>> 28) & 1) === 1)
}

/** The loss of a lossy key frame. Nothing for other bytes. */
const lossOf = (frame: Buffer): Pick<HeaderFacts, 'equivalentQuality'> =>
  frame.length >= 16 && frame.toString('latin1', 3, 6) === '\x9d\x01\x2a'
    ? { equivalentQuality: equivalentOfVp8(quantiserOfVp8(frame)) }
    : {}

interface Gathered {
  readonly chunks: Map<string, Buffer>
  frames: number
  /** The beginning of the first lossy frame. */
  lossy?: Buffer
}

/** The first lossy frame in a chunk: the chunk itself, or the inner chunk of an animation's frame. */
const lossyIn = async (reader: ByteReader, name: string, start: number): Promise<Buffer | undefined> => {
  if (name === 'VP8 ') return Buffer.from(await reader.at(start, HEAD_BYTES))
  if (name !== 'ANMF') return undefined
  const inner = Buffer.from(await reader.at(start + HEADER_SIZES.webpFrame, HEAD_BYTES + 8))
  return inner.toString('latin1', 0, 4) === 'VP8 ' ? inner.subarray(8) : undefined
}

const CHUNKS_READ: ReadonlySet<string> = new Set(['ICCP', 'EXIF', 'ANIM'])

const gather = async (reader: ByteReader): Promise<Gathered> => {
  const found: Gathered = { chunks: new Map(), frames: 0 }
  let offset = 30
  for (let count = 0; count < MAX.chunks; count++) {
    const head = await reader.at(offset, 8)
    if (head.length < 8) break
    const name = head.toString('latin1', 0, 4)
    const length = head.readUInt32LE(4)
    if (name === 'ANMF') found.frames++
    const lossy = found.lossy ?? (await lossyIn(reader, name, offset + 8))
    if (lossy !== undefined) found.lossy = lossy
    if (CHUNKS_READ.has(name) && !found.chunks.has(name))
      found.chunks.set(name, Buffer.from(await reader.at(offset + 8, Math.min(length, MAX.chunkBytes))))
    offset += 8 + length + (length & 1)
  }
  return found
}

const readExtended = async (bytes: Buffer, reader: ByteReader): Promise<HeaderFacts> => {
  if (bytes.length < 10) throw fail('SOURCE_DAMAGED')
  const flags = bytes[0] ?? 0
  const still = plain(bytes.readUIntLE(4, 3) + 1, bytes.readUIntLE(7, 3) + 1, (flags & FLAG.alpha) !== 0)
  const { chunks, frames, lossy } = await gather(reader)
  const [profile, exif, animation] = [chunks.get('ICCP'), chunks.get('EXIF'), chunks.get('ANIM')]
  const moving = (flags & FLAG.animation) !== 0 && frames > 1
  const orientation: Orientation = exif === undefined ? 1 : await orientationOf(exif)
  return {
    ...still,
    orientation,
    profile: profile === undefined ? 'none' : classifyProfile(profile, 3),
    ...(lossy === undefined ? {} : lossOf(lossy)),
    // ANIM holds the number of plays (0 for endless) after four bytes of background.
    ...(moving
      ? { frames, loop: animation !== undefined && animation.length >= 6 ? animation.readUInt16LE(4) : 0 }
      : {}),
  }
}

/** WebP: lossy, lossless, and extended with animation, profile and EXIF. */
export const readWebp: ReadHeader = async (reader) => {
  const head = await exactly(reader, 12, 8)
  const name = head.toString('latin1', 0, 4)
  const bytes = Buffer.from(await reader.at(20, 10))
  if (name === 'VP8 ') return { ...readLossy(bytes), ...lossOf(Buffer.from(await reader.at(20, HEAD_BYTES))) }
  if (name === 'VP8L') return readLossless(bytes)
  if (name === 'VP8X') return readExtended(bytes, reader)
  throw fail('SOURCE_DAMAGED')
}
