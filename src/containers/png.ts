import { crc32 } from 'node:zlib'
import { HEADER_SIZES } from '../core/header-sizes.ts'
import type { Extent, Raster } from '../core/image.ts'

/** The eight bytes that every PNG begins with. */
export const PNG_SIGNATURE: Uint8Array = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)

/** One chunk of a PNG. Views of the file. */
export interface PngChunk {
  readonly type: string
  /** Its content. Shorter than declared when the file ends early. */
  readonly data: Buffer
  /** The chunk with length, type and checksum. */
  readonly whole: Buffer
}

/**
 * The chunks of a PNG in order. Checksums are not verified. The last chunk may be truncated. Ends when less than a chunk's length and type
 * is left.
 */
export function* readPngChunks(file: Uint8Array): Generator<PngChunk> {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.length)
  for (let at = PNG_SIGNATURE.length; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    yield {
      type: bytes.toString('latin1', at + 4, at + 8),
      data: bytes.subarray(at + 8, at + 8 + length),
      whole: bytes.subarray(at, at + HEADER_SIZES.pngChunk + length),
    }
    at += HEADER_SIZES.pngChunk + length
  }
}

/** A chunk: length, type, content, checksum (CRC-32 of type and content). */
export const writePngChunk = (type: string, data: Uint8Array): Buffer => {
  const chunk = Buffer.alloc(HEADER_SIZES.pngChunk + data.length)
  chunk.writeUInt32BE(data.length, 0)
  chunk.write(type, 4, 'latin1')
  chunk.set(data, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length)
  return chunk
}

/** How a PNG stores a pixel: bits of each sample, and the colour type. */
interface PngSamples {
  readonly depth: number
  readonly colourType: number
}

/** The IHDR chunk of an image that is not interlaced. */
export const writePngHeader = ({ width, height }: Extent, { depth, colourType }: PngSamples): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([depth, colourType], 8)
  return writePngChunk('IHDR', header)
}

/** A truecolour image of 8 bits a sample before it is compressed: its IHDR chunk, and its rows without filters. */
export const layOutTruecolour = ({ width, height, channels, data }: Raster) => {
  const stride = width * channels
  const rows = Buffer.alloc((stride + 1) * height)
  for (let y = 0; y < height; y++) rows.set(data.subarray(y * stride, (y + 1) * stride), y * (stride + 1) + 1)
  return { header: writePngHeader({ width, height }, { depth: 8, colourType: channels === 4 ? 6 : 2 }), rows }
}

/** A complete PNG with these chunks. The end chunk is added. */
export const writePng = (chunks: readonly Uint8Array[]): Buffer =>
  Buffer.concat([PNG_SIGNATURE, ...chunks, writePngChunk('IEND', new Uint8Array())])
