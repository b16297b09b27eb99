import { fail } from '../../core/failure.ts'
import type { SourceFacts } from '../../core/image.ts'
import { MAX_FILE_ITEMS } from '../../core/untrusted-header.ts'
import { bareGif } from './gif.ts'
import { bareJpeg } from './jpeg.ts'
import type { Kept, Pieces } from './kept.ts'
import { barePng } from './png.ts'
import { bareWebp } from './webp.ts'

/** By format of the source. Other formats cannot be returned with their own bytes. */
const BARE: Partial<Record<SourceFacts['format'], (file: Uint8Array, kept: Kept) => Pieces>> = {
  jpeg: bareJpeg,
  png: barePng,
  gif: bareGif,
  webp: bareWebp,
}

function* bounded(pieces: Pieces): Pieces {
  let left = MAX_FILE_ITEMS
  for (const piece of pieces) {
    if (left-- === 0) throw fail('SOURCE_DAMAGED')
    yield piece
  }
}

/**
 * A source's own bytes without metadata (§3.5), in pieces of some kilobytes of work, some of them empty. undefined for SVG, which must be
 * sanitised, and for AVIF and TIFF, whose metadata may be anywhere in the file. The iteration fails with SOURCE_DAMAGED for a file of
 * more pieces than any image has.
 */
export const stripMetadata = (
  { format, orientation, profile }: Pick<SourceFacts, 'format' | 'orientation' | 'profile'>,
  file: Uint8Array,
): Pieces | undefined => {
  const pieces = BARE[format]?.(file, { orientation, profile: profile === 'other' })
  return pieces && bounded(pieces)
}
