import { readFile } from 'node:fs/promises'
import { constants, crc32, createInflate, deflateSync } from 'node:zlib'

const SIGNATURE_BYTES = 8
/** Samples a pixel by colour type (PNG specification, 11.2.1). */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }
/** Bytes of filtered rows that a repair may hold in memory; beyond, the decoder's own leniency must do. */
const MOST_BYTES = 420e6

interface Chunk {
  readonly name: string
  readonly data: Buffer
}

/**
 * A whole PNG from a truncated or damaged one: the rows that can still be inflated, and zeros for the rest. libpng wants
 * complete reads of its input, so it gives up small files whole. Undefined when no row can be inflated.
 */
export const repairPng = async (path: string): Promise<Buffer | undefined> => {
  const bytes = await readFile(path)
  const chunks = readChunks(bytes)
  const header = chunks[0]
  if (header?.name !== 'IHDR' || header.data.length !== 13) return undefined
  const expected = rowsLength(header.data)
  if (expected === undefined || expected > MOST_BYTES) return undefined
  const rows = await inflateSome(Buffer.concat(chunks.filter(isPixels).map(({ data }) => data)), expected)
  if (rows.length === 0) return undefined
  const whole = Buffer.alloc(expected)
  rows.copy(whole)
  const kept = chunks.filter((chunk) => !isPixels(chunk) && KEPT.has(chunk.name))
  const idat = { name: 'IDAT', data: deflateSync(whole, { level: 1 }) }
  const end = { name: 'IEND', data: Buffer.alloc(0) }
  return Buffer.concat([bytes.subarray(0, SIGNATURE_BYTES), ...[...kept, idat, end].map(writeChunk)])
}

/** What decides how pixels look. */
const KEPT: ReadonlySet<string> = new Set(['IHDR', 'PLTE', 'tRNS', 'iCCP', 'sRGB', 'eXIf'])

const isPixels = ({ name }: Chunk): boolean => name === 'IDAT'

/** Chunks in their order, the last one cut off where the file is; checksums are not looked at. */
const readChunks = (bytes: Buffer): readonly Chunk[] => {
  const chunks: Chunk[] = []
  for (let at = SIGNATURE_BYTES; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    chunks.push({ name: bytes.toString('latin1', at + 4, at + 8), data: bytes.subarray(at + 8, at + 8 + length) })
    at += 12 + length
  }
  return chunks
}

/** Bytes of all filtered rows, of an image that is not interlaced; an interlaced one is left to the decoder. */
const rowsLength = (header: Buffer): number | undefined => {
  const samples = SAMPLES[header[9]!]
  if (samples === undefined || header[12] !== 0) return undefined
  const bits = header.readUInt32BE(0) * samples * header[8]!
  return header.readUInt32BE(4) * (1 + Math.ceil(bits / 8))
}

/** What can be inflated before the data ends or breaks, at most `most` bytes. */
const inflateSome = async (data: Buffer, most: number): Promise<Buffer> => {
  const inflate = createInflate({ finishFlush: constants.Z_SYNC_FLUSH })
  const parts: Buffer[] = []
  let length = 0
  inflate.end(data)
  try {
    for await (const part of inflate) {
      parts.push(part as Buffer)
      length += (part as Buffer).length
      if (length >= most) break
    }
  } catch {
    // Broken data: what came before it is good.
  }
  return Buffer.concat(parts).subarray(0, most)
}

const writeChunk = ({ name, data }: Chunk): Buffer => {
  const chunk = Buffer.alloc(data.length + 12)
  chunk.writeUInt32BE(data.length, 0)
  chunk.write(name, 4, 'latin1')
  data.copy(chunk, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length)
  return chunk
}
