import { PIECE_BYTES } from '../../core/piece-bytes.ts'
import { EXIF_PREFIX, orientationTiff } from '../exif.ts'
import { isApplication, isStandalone, JPEG_MARKER, PROFILE_PREFIX, writeJpegSegment } from '../jpeg.ts'
import { type Kept, latin1, type Pieces } from './kept.ts'

const { EOI, SOS, APP0, APP1, APP2, APP14, COM } = JPEG_MARKER

const startsWith = (segment: Uint8Array, name: string): boolean => latin1(segment.subarray(4, 4 + name.length)) === name

/** JFIF without its thumbnail. */
const bareJfif = (segment: Uint8Array): Uint8Array =>
  segment.length <= 18 ? segment : writeJpegSegment(APP0, [...segment.subarray(4, 16), 0, 0])

/** The kept part of a segment. APP0 and APP14 define the colours. */
const bareSegment = (segment: Uint8Array, kept: Kept): Uint8Array => {
  const marker = segment[1]!
  if (marker !== COM && !isApplication(marker)) return segment
  if (marker === APP0 && startsWith(segment, 'JFIF\0')) return bareJfif(segment)
  if (marker === APP14 && startsWith(segment, 'Adobe')) return segment
  if (marker === APP2 && kept.profile && startsWith(segment, PROFILE_PREFIX)) return segment
  return new Uint8Array()
}

/** The offset of the next marker with a length, or of EOI. `limit`, or the end of the file, when there is none before it. */
const findMarker = (jpeg: Uint8Array, from: number, limit: number): number => {
  const end = Math.min(limit, jpeg.length)
  const range = jpeg.subarray(0, end)
  let at = range.indexOf(0xff, from)
  while (at >= 0 && (jpeg[at + 1] === 0xff || isStandalone(jpeg[at + 1] ?? 0))) at = range.indexOf(0xff, at + 1)
  return at < 0 ? end : at
}

/** Yields the coefficients of one scan in pieces. Returns the offset of the marker after them. */
function* copyScan(jpeg: Uint8Array, from: number): Generator<Uint8Array, number, undefined> {
  let at = from
  while (at < jpeg.length) {
    const end = findMarker(jpeg, at, at + PIECE_BYTES)
    yield jpeg.subarray(at, end)
    if (end < at + PIECE_BYTES) return end
    at = end
  }
  return jpeg.length
}

const orientationSegment = (kept: Kept): Uint8Array =>
  kept.orientation === 1
    ? new Uint8Array()
    : writeJpegSegment(APP1, Buffer.concat([Buffer.from(EXIF_PREFIX, 'latin1'), orientationTiff(kept.orientation)]))

/**
 * A JPEG without metadata, with unchanged scans, for files whose coefficients cannot be recompressed. Removes metadata between scans too,
 * thumbnails, and data after the image (other images, videos).
 */
export function* bareJpeg(jpeg: Uint8Array, kept: Kept): Pieces {
  yield jpeg.subarray(0, 2)
  yield orientationSegment(kept)
  let at = findMarker(jpeg, 2, jpeg.length)
  while (at + 1 < jpeg.length) {
    const marker = jpeg[at + 1]!
    if (marker === EOI) {
      yield jpeg.subarray(at, at + 2)
      return
    }
    const end = at + 2 + (((jpeg[at + 2] ?? 0) << 8) | (jpeg[at + 3] ?? 0))
    yield bareSegment(jpeg.subarray(at, end), kept)
    if (marker === SOS) at = yield* copyScan(jpeg, end)
    else at = findMarker(jpeg, end, jpeg.length)
  }
}
