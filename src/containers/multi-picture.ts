import { HEADER_SIZES } from '../core/header-sizes.ts'
import { JPEG_MARKER, writeJpegSegment } from './jpeg.ts'

/** One image of a file with several: its bytes, and its offset from the end of `MPF\0`. 0 is the first image. */
export interface Picture {
  readonly bytes: number
  readonly offset: number
}

const LABEL = Buffer.from('MPF\0', 'latin1')
/** Entries: kind, bytes, offset, two images that it depends on (CIPA DC-007, section 5.2.3). */
const ENTRIES = {
  /** Their tag. */
  tag: 0xb002,
  /** Bytes of each. */
  bytes: 16,
} as const
/** Maximum images of a file. Photographs have two or three: a smaller one, a depth map, a gain map. */
const MAX_PICTURES = 8

/** Whether an APP2 segment is an index of several images. */
export const isPictureIndex = (content: Uint8Array): boolean => LABEL.equals(content.subarray(0, LABEL.length))

/** The images in an index (its segment's content), at most eight. Empty when it cannot be read. */
export const readPictureIndex = (content: Uint8Array): readonly Picture[] => {
  if (!isPictureIndex(content)) return []
  const tiff = Buffer.from(content.buffer, content.byteOffset, content.length).subarray(LABEL.length)
  const little = tiff[0] === 0x49
  const short = (at: number): number => (little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const long = (at: number): number => (little ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at))
  try {
    const directory = long(4)
    const fields = Array.from({ length: short(directory) }, (_, i) => directory + 2 + i * 12)
    const entries = fields.find((at) => short(at) === ENTRIES.tag)
    if (entries === undefined) return []
    const [count, start] = [Math.min(MAX_PICTURES, Math.floor(long(entries + 4) / ENTRIES.bytes)), long(entries + 8)]
    return Array.from({ length: count }, (_, i) => {
      const at = start + i * ENTRIES.bytes
      return { bytes: long(at + 4), offset: long(at + 8) }
    })
  } catch {
    return [] // it ends where it should go on
  }
}

/** An index of two images. The first one, of `first` bytes, is shown and contains this segment at `at`; the second one follows it. */
export const writePictureIndex = (first: number, at: number, second: number): Uint8Array => {
  const tiff = Buffer.alloc(HEADER_SIZES.pictureIndex - HEADER_SIZES.pictureIndexHead)
  tiff.write('MM\0*', 'latin1')
  tiff.writeUInt32BE(8, 4)
  tiff.writeUInt16BE(3, 8)
  // Version, number of images, entries: tag, type, count, value or offset.
  const fields = [
    [0xb000, 7, 4, 0x30313030],
    [0xb001, 4, 1, 2],
    [ENTRIES.tag, 7, 32, 50],
  ] as const
  for (const [i, [tag, type, count, value]] of fields.entries()) {
    const offset = 10 + i * 12
    tiff.writeUInt16BE(tag, offset)
    tiff.writeUInt16BE(type, offset + 2)
    tiff.writeUInt32BE(count, offset + 4)
    tiff.writeUInt32BE(value, offset + 8)
  }
  // Type (a baseline primary image), bytes, offset (0: the file's beginning), no dependent images.
  tiff.writeUInt32BE(0x030000, 50)
  tiff.writeUInt32BE(first, 54)
  tiff.writeUInt32BE(second, 70)
  tiff.writeUInt32BE(first - (at + HEADER_SIZES.pictureIndexHead), 74)
  return writeJpegSegment(JPEG_MARKER.APP2, Buffer.concat([LABEL, tiff]))
}
