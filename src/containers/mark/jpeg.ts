import type { ResultMark } from '../../core/image.ts'
import { isFrameMarker, JPEG_MARKER, type JpegSegment, readJpegHead, writeJpegSegment } from '../jpeg.ts'
import { MARK } from './format.ts'
import { checkOf, readPayload, writePayload } from './payload.ts'

const NAME = Buffer.from('Wh', 'latin1')

const { APP0, DQT } = JPEG_MARKER

const isMark = (jpeg: Buffer, { marker, start }: JpegSegment): boolean =>
  marker === MARK.jpegSegment && jpeg.subarray(start + 4, start + 6).equals(NAME)

/** Checksum of quantisation tables and frame. Recompressing the same coefficients keeps them; another encoder does not. */
const checkTables = (jpeg: Buffer): number => {
  const parts: Buffer[] = []
  for (const { marker, start, end } of readJpegHead(jpeg))
    if (marker === DQT || isFrameMarker(marker)) parts.push(jpeg.subarray(start + 4, end))
  return checkOf(parts)
}

/** The mark among the segments before the first scan. undefined without a valid one. `head`: the beginning of a file. */
export const readJpegMark = (head: Buffer): ResultMark | undefined => {
  for (const segment of readJpegHead(head))
    if (isMark(head, segment)) return readPayload(head.subarray(segment.start + 6, segment.end), checkTables(head))
  return undefined
}

/** The JPEG with only this mark, or without any. The mark follows JFIF's segment, which must be first. */
export const withJpegMark = (file: Uint8Array, mark: ResultMark | undefined): Uint8Array => {
  const jpeg = Buffer.from(file.buffer, file.byteOffset, file.length)
  const segments = [...readJpegHead(jpeg)]
  const first = segments[0]
  const at = first?.marker === APP0 ? first.end : 2
  const marked = segments.find((segment) => isMark(jpeg, segment))
  if (mark === undefined && marked === undefined) return file
  const old = marked ?? { start: at, end: at }
  const bare = Buffer.concat([jpeg.subarray(0, old.start), jpeg.subarray(old.end)])
  if (mark === undefined) return bare
  const segment = writeJpegSegment(MARK.jpegSegment, Buffer.concat([NAME, writePayload(mark, checkTables(bare))]))
  return Buffer.concat([bare.subarray(0, at), segment, bare.subarray(at)])
}
