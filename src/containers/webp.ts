import { HEADER_SIZES } from '../core/header-sizes.ts'
import type { Extent } from '../core/image.ts'
import { readRiffChunks, writeRiffChunk } from './riff.ts'

/** Flags of VP8X (RFC 9649, section 2.7). */
export const WEBP_FLAG = { PROFILE: 0x20, ALPHA: 0x10, EXIF: 0x08, XMP: 0x04 } as const

/** The size of a lossy key frame: 14 bits each for width and height, after a tag and a start code (RFC 6386, section 9.1). */
export const sizeOfVp8 = (frame: Buffer): Extent => ({
  width: frame.readUInt16LE(6) & 0x3fff,
  height: frame.readUInt16LE(8) & 0x3fff,
})

/** The extended header for a WebP without one: flags, then width and height minus one in 24 bits each. */
const extendedHeader = (first: { readonly type: string; readonly whole: Buffer }): Buffer => {
  const { type, whole } = first
  const lossless = type === 'VP8L'
  const [bits, alpha] = lossless ? [whole.readUInt32LE(9), whole.readUInt32LE(9) >>> 28] : [0, 0]
  const coded = lossless
    ? { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    : sizeOfVp8(whole.subarray(HEADER_SIZES.riffChunk))
  const content = Buffer.alloc(10)
  content[0] = (alpha & 1) === 1 ? WEBP_FLAG.ALPHA : 0
  content.writeUIntLE(coded.width - 1, 4, 3)
  content.writeUIntLE(coded.height - 1, 7, 3)
  return writeRiffChunk('VP8X', content)
}

/** The chunks of a WebP in extended form, header first, with these flags set. */
export const extendedChunks = (webp: Uint8Array, flags: number): readonly Buffer[] => {
  const [first, ...others] = [...readRiffChunks(webp)]
  const extended = first!.type === 'VP8X'
  const header = Buffer.from(extended ? first!.whole : extendedHeader(first!))
  header[8]! |= flags
  return [header, ...(extended ? others : [first!, ...others]).map(({ whole }) => whole)]
}
