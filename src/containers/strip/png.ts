import { orientationTiff } from '../exif.ts'
import { PNG_SIGNATURE, readPngChunks, writePngChunk } from '../png.ts'
import type { Kept, Pieces } from './kept.ts'

/** Chunks that pixels need; animation included. */
const NEEDED: ReadonlySet<string> = new Set(['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'acTL', 'fcTL', 'fdAT'])
const COLOUR: ReadonlySet<string> = new Set(['iCCP', 'gAMA', 'cHRM', 'cICP'])

/** A PNG without what is not needed to show it. What follows damage, or the end, is left out. */
export function* barePng(png: Uint8Array, kept: Kept): Pieces {
  yield png.subarray(0, PNG_SIGNATURE.length)
  for (const { type, whole } of readPngChunks(png)) {
    const stays = NEEDED.has(type) || (kept.profile && COLOUR.has(type))
    yield stays ? whole : new Uint8Array()
    if (type === 'IHDR' && kept.orientation > 1) yield writePngChunk('eXIf', orientationTiff(kept.orientation))
    if (type === 'IEND') break
  }
}
