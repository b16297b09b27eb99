import { HEADER_SIZES } from '../core/header-sizes.ts'

/** One chunk of a RIFF file such as WebP (RFC 9649, section 2.3). Views of the file. */
export interface RiffChunk {
  readonly type: string
  /** The chunk with its name, its length and its padding to an even number of bytes. */
  readonly whole: Buffer
  /** Offset in the file. */
  readonly offset: number
}

/** The chunks of a RIFF file in order. The last one may be truncated. */
export function* readRiffChunks(file: Uint8Array): Generator<RiffChunk> {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.length)
  for (let at: number = HEADER_SIZES.riff; at + HEADER_SIZES.riffChunk <= bytes.length; ) {
    const length = bytes.readUInt32LE(at + 4)
    const end = at + HEADER_SIZES.riffChunk + length + (length & 1)
    yield { type: bytes.toString('latin1', at, at + 4), whole: bytes.subarray(at, end), offset: at }
    at = end
  }
}

/** A chunk: name, length, content, and a zero byte when the content is odd. */
export const writeRiffChunk = (type: string, data: Uint8Array): Buffer => {
  const chunk = Buffer.alloc(HEADER_SIZES.riffChunk + data.length + (data.length & 1))
  chunk.write(type, 0, 'latin1')
  chunk.writeUInt32LE(data.length, 4)
  chunk.set(data, HEADER_SIZES.riffChunk)
  return chunk
}

/** A RIFF file of a form, such as `WEBP`, with complete chunks. */
export const writeRiff = (form: string, chunks: readonly Uint8Array[]): Buffer => {
  const file = Buffer.concat([Buffer.alloc(HEADER_SIZES.riff), ...chunks])
  file.write('RIFF', 0, 'latin1')
  file.writeUInt32LE(file.length - HEADER_SIZES.riffChunk, 4)
  file.write(form, HEADER_SIZES.riffChunk, 'latin1')
  return file
}
