import { crc32 } from 'node:zlib'

/** The eight bytes that every PNG begins with. */
export const PNG_SIGNATURE: Uint8Array = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)

/** One chunk of a PNG; views of the file, nothing copied. */
export interface PngChunk {
  readonly type: string
  /** Its content; shorter than declared where the file ends early. */
  readonly data: Buffer
  /** The same with length, type and checksum around it, as they stand in the file. */
  readonly whole: Buffer
}

/** Length, type and checksum. */
const FRAMING = 12

/**
 * The chunks of a PNG in their order. Checksums are not looked at; the last chunk may be cut off where the file is. Ends
 * where not even a chunk's length and type are left.
 */
export function* readPngChunks(file: Uint8Array): Generator<PngChunk> {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.length)
  for (let at = PNG_SIGNATURE.length; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    yield {
      type: bytes.toString('latin1', at + 4, at + 8),
      data: bytes.subarray(at + 8, at + 8 + length),
      whole: bytes.subarray(at, at + FRAMING + length),
    }
    at += FRAMING + length
  }
}

/** A chunk as it stands in a file: length, type, content, checksum (CRC-32 of type and content). */
export const writePngChunk = (type: string, data: Uint8Array): Buffer => {
  const chunk = Buffer.alloc(FRAMING + data.length)
  chunk.writeUInt32BE(data.length, 0)
  chunk.write(type, 4, 'latin1')
  chunk.set(data, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length)
  return chunk
}

/** A whole PNG of these chunks; the end chunk is added. */
export const writePng = (chunks: readonly Uint8Array[]): Buffer =>
  Buffer.concat([PNG_SIGNATURE, ...chunks, writePngChunk('IEND', new Uint8Array())])
