/** One chunk of a RIFF file such as WebP (RFC 9649, section 2.3); views of the file, nothing copied. */
export interface RiffChunk {
  readonly type: string
  /** The chunk as it stands in the file, with its name, its length and what fills it up to an even number of bytes. */
  readonly whole: Buffer
  /** Where it begins in the file. */
  readonly offset: number
}

/** `RIFF`, the length of the rest, and the form's name. */
const FILE_HEADER = 12
/** Name and length. */
const FRAMING = 8

/** The chunks of a RIFF file in their order; the last one may be cut off where the file is. */
export function* readRiffChunks(file: Uint8Array): Generator<RiffChunk> {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.length)
  for (let at = FILE_HEADER; at + FRAMING <= bytes.length; ) {
    const length = bytes.readUInt32LE(at + 4)
    const end = at + FRAMING + length + (length & 1)
    yield { type: bytes.toString('latin1', at, at + 4), whole: bytes.subarray(at, end), offset: at }
    at = end
  }
}

/** A chunk as it stands in a file: name, length, content, and a zero where that is odd. */
export const writeRiffChunk = (type: string, data: Uint8Array): Buffer => {
  const chunk = Buffer.alloc(FRAMING + data.length + (data.length & 1))
  chunk.write(type, 0, 'latin1')
  chunk.writeUInt32LE(data.length, 4)
  chunk.set(data, FRAMING)
  return chunk
}

/** A RIFF file of a form, such as `WEBP`, and whole chunks. */
export const writeRiff = (form: string, chunks: readonly Uint8Array[]): Buffer => {
  const file = Buffer.concat([Buffer.alloc(FILE_HEADER), ...chunks])
  file.write('RIFF', 0, 'latin1')
  file.writeUInt32LE(file.length - FRAMING, 4)
  file.write(form, FRAMING, 'latin1')
  return file
}
