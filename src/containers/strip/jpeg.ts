import { EXIF_PREFIX, orientationTiff } from '../exif.ts'
import { isApplication, isStandalone, JPEG_MARKER, writeJpegSegment } from '../jpeg.ts'
import { type Kept, latin1, type Pieces } from './kept.ts'

const { EOI, SOS, APP0, APP1, APP2, APP14, COM } = JPEG_MARKER

/** Bytes of coefficients in one piece. */
const PIECE = 65_536

const startsWith = (segment: Uint8Array, name: string): boolean => latin1(segment.subarray(4, 4 + name.length)) === name

/** JFIF without the thumbnail that may hang on to it. */
const bareJfif = (segment: Uint8Array): Uint8Array =>
  segment.length <= 18 ? segment : writeJpegSegment(APP0, [...segment.subarray(4, 16), 0, 0])

/** What stays of a segment: all of it, a part, or nothing. APP0 and APP14 decide the colours. */
const bareSegment = (segment: Uint8Array, kept: Kept): Uint8Array => {
  const marker = segment[1]!
  if (marker !== COM && !isApplication(marker)) return segment
  if (marker === APP0 && startsWith(segment, 'JFIF\0')) return bareJfif(segment)
  if (marker === APP14 && startsWith(segment, 'Adobe')) return segment
  if (marker === APP2 && kept.profile && startsWith(segment, 'ICC_PROFILE\0')) return segment
  return new Uint8Array()
}

/** The offset of the next marker that has a length, or of EOI; `limit`, or the end of the file, when none comes before that. */
const findMarker = (jpeg: Uint8Array, from: number, limit: number): number => {
  const end = Math.min(limit, jpeg.length)
  const range = jpeg.subarray(0, end)
  let at = range.indexOf(0xff, from)
  while (at >= 0 && (jpeg[at + 1] === 0xff || isStandalone(jpeg[at + 1] ?? 0))) at = range.indexOf(0xff, at + 1)
  return at < 0 ? end : at
}

/** The coefficients of one scan, in pieces; returns the offset of the marker behind them. */
function* copyScan(jpeg: Uint8Array, from: number): Generator<Uint8Array, number, undefined> {
  let at = from
  while (at < jpeg.length) {
    const end = findMarker(jpeg, at, at + PIECE)
    yield jpeg.subarray(at, end)
    if (end < at + PIECE) return end
    at = end
  }
  return jpeg.length
}

const orientationSegment = (kept: Kept): Uint8Array =>
  kept.orientation === 1
    ? new Uint8Array()
    : writeJpegSegment(APP1, Buffer.concat([Buffer.from(EXIF_PREFIX, 'latin1'), orientationTiff(kept.orientation)]))

/**
 * A JPEG without metadata, its scans copied as they are: for files whose coefficients cannot be stored anew. Metadata goes
 * between scans as well; thumbnails, and what hangs on behind the image (other images, videos), are left out.
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
