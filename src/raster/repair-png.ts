import { readFile } from 'node:fs/promises'
import { constants, createInflate, deflateSync } from 'node:zlib'
import { type PngChunk, readPngChunks, writePng, writePngChunk } from '../containers/png.ts'

/** Samples a pixel by colour type (PNG specification, 11.2.1). */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }
/** Bytes of filtered rows that a repair may hold in memory; beyond, the decoder's own leniency must do. */
const MOST_BYTES = 420e6

/**
 * A whole PNG from a truncated or damaged one: the rows that can still be inflated, and zeros for the rest. libpng wants
 * complete reads of its input, so it gives up small files whole. Undefined when no row can be inflated.
 */
export const repairPng = async (path: string): Promise<Buffer | undefined> => {
  const bytes = await readFile(path)
  const chunks = [...readPngChunks(bytes)]
  const header = chunks[0]
  if (header?.type !== 'IHDR' || header.data.length !== 13) return undefined
  const expected = rowsLength(header.data)
  if (expected === undefined || expected > MOST_BYTES) return undefined
  const rows = await inflateSome(Buffer.concat(chunks.filter(isPixels).map(({ data }) => data)), expected)
  if (rows.length === 0) return undefined
  const whole = Buffer.alloc(expected)
  rows.copy(whole)
  const kept = chunks.filter((chunk) => !isPixels(chunk) && KEPT.has(chunk.type))
  return writePng([
    ...kept.map(({ type, data }) => writePngChunk(type, data)),
    writePngChunk('IDAT', deflateSync(whole, { level: 1 })),
  ])
}

/** What decides how pixels look. */
const KEPT: ReadonlySet<string> = new Set(['IHDR', 'PLTE', 'tRNS', 'iCCP', 'sRGB', 'eXIf'])

const isPixels = ({ type }: PngChunk): boolean => type === 'IDAT'

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
