import type { SourceFormat } from '../core/image.ts'

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')

/** Names that gain maps go by: Adobe's and Android's XMP (Ultra HDR), ISO 21496-1, Apple's auxiliary image. */
const ULTRA_HDR = latin1('http://ns.adobe.com/hdr-gain-map/1.0/')
const ISO = latin1('urn:iso:std:iso:ts:21496:-1')
const APPLE = latin1('urn:com:apple:photo:2020:aux:hdrgainmap')

/** Bytes in which the boxes and segments before the pixels end. */
const HEAD_BYTES = 1_000_000

/** Segments of a JPEG before its first scan: where a gain map is announced. */
const headOfJpeg = (file: Buffer): Buffer => {
  let at = 2
  while (at + 4 <= file.length && file[at] === 0xff && file[at + 1] !== 0xda) at += 2 + file.readUInt16BE(at + 2)
  return file.subarray(0, Math.min(at, file.length))
}

/** An Apple photograph announces it in the second image's own XMP, which a multi-picture index leads to. */
const isMultiPicture = (head: Buffer): boolean => head.includes(latin1('MPF\0'))

const jpegHas = (file: Buffer): boolean => {
  const head = headOfJpeg(file)
  return head.includes(ULTRA_HDR) || head.includes(ISO) || (isMultiPicture(head) && file.includes(APPLE))
}

/** HEIF: a tone-mapped derived image (ISO 21496-1) as an item of type `tmap`, or Apple's auxiliary image. */
const heifHas = (file: Buffer): boolean => {
  const head = file.subarray(0, HEAD_BYTES)
  const entry = head.indexOf(latin1('infe'))
  return head.includes(APPLE) || (entry >= 0 && head.indexOf(latin1('tmap'), entry) >= 0)
}

const BY_FORMAT: Partial<Record<SourceFormat, (file: Buffer) => boolean>> = {
  jpeg: jpegHas,
  avif: heifHas,
  heic: heifHas,
  // A box of its own (ISO 18181-2).
  jxl: (file) => file.readUInt32BE(0) === 12 && file.subarray(0, HEAD_BYTES).includes(latin1('jhgm')),
}

/** Whether a file brings a gain map, by what it announces in front of its pixels. */
export const hasGainMap = (format: SourceFormat, file: Buffer): boolean =>
  file.length > 12 && (BY_FORMAT[format]?.(file) ?? false)
