import { HEADER_SIZES } from '../../core/header-sizes.ts'
import type { ResultMark } from '../../core/image.ts'
import { writePngChunk } from '../png.ts'
import { writeRiffChunk } from '../riff.ts'
import { MARK } from './format.ts'
import { checkOf, readPayload, writePayload } from './payload.ts'

/** The form of a mark near the end of a file. */
interface Frame {
  /** Wraps a payload in a piece of the file. */
  readonly wrap: (payload: Uint8Array) => Uint8Array
  /** Bytes before the payload in that piece. */
  readonly before: number
  /** Bytes after the piece: the end chunk of a PNG, the trailer of a GIF. */
  readonly end: Uint8Array
}

/** Distinguishes a mark from other comments and free boxes. */
const NAME = Buffer.from('Wh', 'latin1')

const gifComment = (payload: Uint8Array): Buffer =>
  Buffer.concat([Buffer.of(0x21, 0xfe, NAME.length + payload.length), NAME, payload, Buffer.of(0)])

/** A `free` box (ISO/IEC 14496-12, section 8.1.2), which readers skip. */
const freeBox = (payload: Uint8Array): Buffer => {
  const box = Buffer.concat([Buffer.from('\0\0\0\0free', 'latin1'), NAME, payload])
  box.writeUInt32BE(box.length, 0)
  return box
}

const NOTHING = new Uint8Array()

/**
 * Forms by format. The PNG chunk is ancillary, private and unsafe to copy, so editors that change pixels drop it. RFC 9649 allows unknown
 * chunks at the end of a WebP.
 */
const FRAMES = {
  png: { wrap: (payload) => writePngChunk('whIT', payload), before: 8, end: writePngChunk('IEND', NOTHING) },
  gif: { wrap: gifComment, before: 5, end: Uint8Array.of(0x3b) },
  webp: { wrap: (payload) => writeRiffChunk('WHIT', payload), before: 8, end: NOTHING },
  avif: { wrap: freeBox, before: 10, end: NOTHING },
} as const satisfies Readonly<Record<string, Frame>>

/** A format with its mark at the end. */
export type TrailingFormat = keyof typeof FRAMES

interface Ends {
  readonly head: Uint8Array
  readonly tail: Uint8Array
  readonly size: number
}

/** The checksum of an image with `size` bytes, without mark and end. `tail` ends with these bytes. */
const checkEnds = ({ head, tail, size }: Ends): number => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(size)
  return checkOf([
    length,
    head.subarray(HEADER_SIZES.riff, Math.min(size, MARK.checkedBytes)),
    tail.subarray(-MARK.checkedBytes),
  ])
}

const endsWith = (bytes: Buffer, end: Uint8Array): boolean =>
  bytes.length >= end.length && bytes.subarray(bytes.length - end.length).equals(end)

/** Locates the mark of a file. undefined when its end has another form. */
const locate = (format: TrailingFormat, { head, tail, size }: Ends) => {
  const { wrap, before, end }: Frame = FRAMES[format]
  const sample = wrap(Buffer.alloc(MARK.payloadBytes))
  const bytes = Buffer.from(tail.buffer, tail.byteOffset, tail.length)
  const start = bytes.length - end.length - sample.length
  if (start < 0 || !endsWith(bytes, end)) return undefined
  const piece = bytes.subarray(start, start + sample.length)
  const payload = piece.subarray(before, before + MARK.payloadBytes)
  if (!piece.equals(wrap(payload))) return undefined
  const own = { head, tail: bytes.subarray(0, start), size: size - end.length - sample.length }
  return { payload, own }
}

/** The mark at the end of a file with `size` bytes. undefined without a valid one. */
export const readTrailingMark = (format: TrailingFormat, ends: Ends): ResultMark | undefined => {
  const found = locate(format, ends)
  return found === undefined ? undefined : readPayload(found.payload, checkEnds(found.own))
}

const whole = (file: Uint8Array): Ends => ({ head: file, tail: file, size: file.length })

/** The file without its mark and its end. undefined when its end has another form. */
const bareOf = (format: TrailingFormat, file: Uint8Array): Uint8Array | undefined => {
  const { end }: Frame = FRAMES[format]
  const marked = locate(format, whole(file))
  if (marked !== undefined) return marked.own.tail
  return endsWith(Buffer.from(file), end) ? file.subarray(0, file.length - end.length) : undefined
}

/** The file with only this mark, or without any. Unchanged when its end has another form. */
export const withTrailingMark = (
  format: TrailingFormat,
  file: Uint8Array,
  mark: ResultMark | undefined,
): Uint8Array => {
  if (mark === undefined && locate(format, whole(file)) === undefined) return file
  const bare = bareOf(format, file)
  if (bare === undefined) return file
  const { wrap, end }: Frame = FRAMES[format]
  const piece = mark === undefined ? NOTHING : wrap(writePayload(mark, checkEnds(whole(bare))))
  const result = Buffer.concat([bare, piece, end])
  if (format === 'webp') result.writeUInt32LE(result.length - 8, 4)
  return result
}
