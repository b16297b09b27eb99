import { orientationTiff } from '../exif.ts'
import { PNG_SIGNATURE, readPngChunks, writePngChunk } from '../png.ts'
import type { Kept, Pieces } from './kept.ts'

/** Chunks for pixels and animation. */
const NEEDED_CHUNKS: ReadonlySet<string> = new Set(['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'acTL', 'fcTL', 'fdAT'])
const COLOUR_CHUNKS: ReadonlySet<string> = new Set(['iCCP', 'gAMA', 'cHRM', 'cICP'])

/** A PNG without chunks that are not needed to show it. Drops everything after damage or the end. */
export function* barePng(png: Uint8Array, kept: Kept): Pieces {
  yield png.subarray(0, PNG_SIGNATURE.length)
  for (const { type, whole } of readPngChunks(png)) {
    const stays = NEEDED_CHUNKS.has(type) || (kept.profile && COLOUR_CHUNKS.has(type))
    yield stays ? whole : new Uint8Array()
    if (type === 'IHDR' && kept.orientation > 1) yield writePngChunk('eXIf', orientationTiff(kept.orientation))
    if (type === 'IEND') break
  }
}
