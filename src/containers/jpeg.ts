import { JPEG } from '../core/jpeg-numbers.ts'

/** Markers of JPEG (ITU-T T.81, table B.1), the byte after 0xff. */
export const JPEG_MARKER = {
  TEM: 0x01,
  SOF0: 0xc0,
  SOF1: 0xc1,
  SOF2: 0xc2,
  SOF9: 0xc9,
  SOF10: 0xca,
  DHT: 0xc4,
  JPG: 0xc8,
  DAC: 0xcc,
  RST0: 0xd0,
  SOI: 0xd8,
  EOI: 0xd9,
  SOS: 0xda,
  DQT: 0xdb,
  DRI: 0xdd,
  DHP: 0xde,
  APP0: 0xe0,
  APP1: 0xe1,
  APP2: 0xe2,
  APP11: 0xeb,
  APP13: 0xed,
  APP14: 0xee,
  APP15: 0xef,
  COM: 0xfe,
} as const

const { TEM, RST0, SOF0, SOI, SOS, DHT, JPG, DAC, APP0, APP2, APP15 } = JPEG_MARKER

/** Prefix of an XMP block (XMP specification part 3, section 1.1.3). */
export const XMP_PREFIX = 'http://ns.adobe.com/xap/1.0/\0'

/** Prefix of a colour profile's segments (ICC.1 annex B.4). */
export const PROFILE_PREFIX = 'ICC_PROFILE\0'

/** A colour profile in numbered segments (ICC.1 annex B.4). Empty when it needs more than 255. */
export const writeJpegProfile = (icc: Uint8Array): Uint8Array[] => {
  const count = Math.ceil(icc.length / JPEG.maxProfileBytes)
  if (count > 255) return []
  return Array.from({ length: count }, (_, i) => {
    const piece = icc.subarray(i * JPEG.maxProfileBytes, (i + 1) * JPEG.maxProfileBytes)
    return writeJpegSegment(
      APP2,
      Buffer.concat([Buffer.from(PROFILE_PREFIX, 'latin1'), Buffer.of(i + 1, count), piece]),
    )
  })
}

/** Whether a marker starts a frame: SOF0 to SOF15 except DHT, JPG and DAC. */
export const isFrameMarker = (marker: number): boolean =>
  marker >= SOF0 && marker <= 0xcf && marker !== DHT && marker !== JPG && marker !== DAC

/** Whether a marker has no length: restarts, SOI, TEM, and 0, which stands for 0xff among coefficients. */
export const isStandalone = (marker: number): boolean =>
  marker === 0 || marker === TEM || (marker >= RST0 && marker <= SOI)

/** Whether a marker starts application data, APP0 to APP15. */
export const isApplication = (marker: number): boolean => marker >= APP0 && marker <= APP15

/** A segment: marker, length in two bytes, content of at most 65,533 bytes. */
export const writeJpegSegment = (marker: number, data: ArrayLike<number>): Uint8Array => {
  const segment = new Uint8Array(4 + data.length)
  segment.set([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 0xff])
  segment.set(data, 4)
  return segment
}

/** Position of a segment with its marker and length. */
export interface JpegSegment {
  readonly marker: number
  readonly start: number
  readonly end: number
}

/** Segments from SOI to the first scan, as far as the bytes go. */
export function* readJpegHead(jpeg: Buffer): Generator<JpegSegment> {
  for (let at = 2; at + 4 <= jpeg.length && jpeg[at] === 0xff; ) {
    const marker = jpeg[at + 1]!
    const end = at + 2 + jpeg.readUInt16BE(at + 2)
    if (isStandalone(marker) || marker === SOS || end > jpeg.length) return
    yield { marker, start: at, end }
    at = end
  }
}
