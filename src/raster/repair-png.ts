import { readFile } from 'node:fs/promises'
import { constants, createInflate, deflateSync } from 'node:zlib'
import { type PngChunk, readPngChunks, writePng, writePngChunk } from '../containers/png.ts'

/** Samples per pixel by colour type (PNG specification, 11.2.1). */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }
/** Maximum bytes of filtered rows for a repair. Larger images depend on the decoder's own tolerance. */
const MAX_ROW_BYTES = 420e6

/**
 * Rebuilds a truncated or damaged PNG: rows that can be inflated, and zeros for the rest. libpng needs complete reads of its input, so it
 * fails on small truncated files. undefined when no row can be inflated.
 */
export const repairPng = async (path: string): Promise<Buffer | undefined> => {
  const bytes = await readFile(path)
  const chunks = [...readPngChunks(bytes)]
  const header = chunks[0]
  if (header?.type !== 'IHDR' || header.data.length !== 13) return undefined
  const expected = rowsLength(header.data)
  if (expected === undefined || expected > MAX_ROW_BYTES) return undefined
  const rows = await inflateSome(Buffer.concat(chunks.filter(isPixels).map(({ data }) => data)), expected)
  if (rows.length === 0) return undefined
  const whole = Buffer.alloc(expected)
  rows.copy(whole)
  const kept = chunks.filter((chunk) => !isPixels(chunk) && KEPT_CHUNKS.has(chunk.type))
  return writePng([
    ...kept.map(({ type, data }) => writePngChunk(type, data)),
    writePngChunk('IDAT', deflateSync(whole, { level: 1 })),
  ])
}

/** Chunks that affect the pixels' appearance. */
const KEPT_CHUNKS: ReadonlySet<string> = new Set(['IHDR', 'PLTE', 'tRNS', 'iCCP', 'sRGB', 'eXIf'])

const isPixels = ({ type }: PngChunk): boolean => type === 'IDAT'

/** Bytes of all filtered rows. undefined for an interlaced image, which is left to the decoder. */
const rowsLength = (header: Buffer): number | undefined => {
  const samples = SAMPLES[header[9]!]
  if (samples === undefined || header[12] !== 0) return undefined
  const bits = header.readUInt32BE(0) * samples * header[8]!
  return header.readUInt32BE(4) * (1 + Math.ceil(bits / 8))
}

/** Inflates at most `most` bytes, up to the end of the data or an error. */
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
    // Bytes before an error are valid.
  }
  return Buffer.concat(parts).subarray(0, most)
}
