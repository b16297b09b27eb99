import { orientationTiff } from '../exif.ts'
import { readRiffChunks, writeRiffChunk } from '../riff.ts'
import { WEBP_FLAG } from '../webp.ts'
import type { Kept, Pieces } from './kept.ts'

/** Chunks for pixels (WebP container specification). */
const NEEDED_CHUNKS: ReadonlySet<string> = new Set(['VP8 ', 'VP8L', 'ALPH', 'ANIM', 'ANMF'])
const { PROFILE, EXIF, XMP } = WEBP_FLAG

/** The extended header, with flags for the kept chunks. */
const bareHeader = (chunk: Uint8Array, kept: Kept): Uint8Array => {
  const header = Uint8Array.from(chunk)
  header[8] = header[8]! & ~(EXIF | XMP | (kept.profile ? 0 : PROFILE))
  if (kept.orientation > 1) header[8] |= EXIF
  return header
}

function* bareChunks(webp: Uint8Array, kept: Kept): Pieces {
  let extended = false
  for (const { type, whole } of readRiffChunks(webp)) {
    if (type === 'VP8X' && whole.length > 8) yield bareHeader(whole, kept)
    else yield NEEDED_CHUNKS.has(type) || (type === 'ICCP' && kept.profile) ? whole : new Uint8Array()
    extended ||= type === 'VP8X'
  }
  if (extended && kept.orientation > 1) yield writeRiffChunk('EXIF', orientationTiff(kept.orientation))
}

/** A WebP without Exif, XMP and unknown chunks. Drops everything after the end in its header. */
export function* bareWebp(webp: Uint8Array, kept: Kept): Pieces {
  const claimed = 8 + Buffer.from(webp.subarray(4, 8)).readUInt32LE(0)
  const chunks: Uint8Array[] = []
  for (const chunk of bareChunks(webp.subarray(0, claimed), kept)) {
    chunks.push(chunk)
    yield new Uint8Array()
  }
  const head = Buffer.from(webp.subarray(0, 12))
  head.writeUInt32LE(4 + chunks.reduce((sum, { length }) => sum + length, 0), 4)
  yield head
  yield* chunks
}
