/** One chunk of a RIFF file such as WebP (RFC 9649, section 2.3). Views of the file. */
export interface RiffChunk {
  readonly type: string
  /** The chunk with its name, its length and its padding to an even number of bytes. */
  readonly whole: Buffer
  /** Offset in the file. */
  readonly offset: number
}

/** `RIFF`, the length of the rest, and the form's name. */
const FILE_HEADER = 12
/** Name and length. */
const FRAMING_BYTES = 8

/** The chunks of a RIFF file in order. The last one may be truncated. */
export function* readRiffChunks(file: Uint8Array): Generator<RiffChunk> {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.length)
  for (let at = FILE_HEADER; at + FRAMING_BYTES <= bytes.length; ) {
    const length = bytes.readUInt32LE(at + 4)
    const end = at + FRAMING_BYTES + length + (length & 1)
    yield { type: bytes.toString('latin1', at, at + 4), whole: bytes.subarray(at, end), offset: at }
    at = end
  }
}

/** A chunk: name, length, content, and a zero byte when the content is odd. */
export const writeRiffChunk = (type: string, data: Uint8Array): Buffer => {
  const chunk = Buffer.alloc(FRAMING_BYTES + data.length + (data.length & 1))
  chunk.write(type, 0, 'latin1')
  chunk.writeUInt32LE(data.length, 4)
  chunk.set(data, FRAMING_BYTES)
  return chunk
}

/** A RIFF file of a form, such as `WEBP`, with complete chunks. */
export const writeRiff = (form: string, chunks: readonly Uint8Array[]): Buffer => {
  const file = Buffer.concat([Buffer.alloc(FILE_HEADER), ...chunks])
  file.write('RIFF', 0, 'latin1')
  file.writeUInt32LE(file.length - FRAMING_BYTES, 4)
  file.write(form, FRAMING_BYTES, 'latin1')
  return file
}
