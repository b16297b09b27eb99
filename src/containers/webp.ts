import { readRiffChunks, writeRiffChunk } from './riff.ts'

/** Flags of VP8X (RFC 9649, section 2.7). */
export const WEBP_FLAG = { PROFILE: 0x20, ALPHA: 0x10, EXIF: 0x08, XMP: 0x04 } as const

/** The extended header for a WebP without one: flags, then width and height minus one in 24 bits each. */
const extendedHeader = (first: { readonly type: string; readonly whole: Buffer }): Buffer => {
  const { type, whole } = first
  const lossless = type === 'VP8L'
  const [bits, alpha] = lossless ? [whole.readUInt32LE(9), whole.readUInt32LE(9) >>> 28] : [0, 0]
  const width = lossless ? bits & 0x3fff : (whole.readUInt16LE(14) & 0x3fff) - 1
  const height = lossless ? (bits >>> 14) & 0x3fff : (whole.readUInt16LE(16) & 0x3fff) - 1
  const content = Buffer.alloc(10)
  content[0] = (alpha & 1) === 1 ? WEBP_FLAG.ALPHA : 0
  content.writeUIntLE(width, 4, 3)
  content.writeUIntLE(height, 7, 3)
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
