import { crc32 } from 'node:zlib'
import { type Kept, latin1, orientationTiff, type Pieces } from './kept.ts'

const pngChunk = (type: string, data: Uint8Array): Uint8Array => {
  const chunk = Buffer.alloc(12 + data.length)
  chunk.writeUInt32BE(data.length, 0)
  chunk.write(type, 4, 'latin1')
  chunk.set(data, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length)
  return chunk
}

/** Chunks that pixels need; animation included. */
const NEEDED: ReadonlySet<string> = new Set(['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'acTL', 'fcTL', 'fdAT'])
const COLOUR: ReadonlySet<string> = new Set(['iCCP', 'gAMA', 'cHRM', 'cICP'])

/** A PNG without what is not needed to show it. What follows damage, or the end, is left out. */
export function* barePng(png: Uint8Array, kept: Kept): Pieces {
  const view = new DataView(png.buffer, png.byteOffset, png.length)
  yield png.subarray(0, 8)
  for (let at = 8; at + 12 <= png.length; ) {
    const end = at + 12 + view.getUint32(at)
    const type = latin1(png.subarray(at + 4, at + 8))
    const stays = NEEDED.has(type) || (kept.profile && COLOUR.has(type))
    yield stays ? png.subarray(at, Math.min(end, png.length)) : new Uint8Array()
    if (type === 'IHDR' && kept.orientation > 1) yield pngChunk('eXIf', orientationTiff(kept.orientation))
    if (type === 'IEND') break
    at = end
  }
}
