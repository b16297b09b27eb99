import { isApplication, JPEG_MARKER, writeJpegSegment } from './jpeg.ts'

/** What announces a gain map: XMP of Ultra HDR (Adobe, Android), and the label of ISO 21496-1. */
const ULTRA_HDR = 'http://ns.adobe.com/hdr-gain-map/1.0/'
const ISO = 'urn:iso:std:iso:ts:21496:-1'

const { SOI, SOS, APP0, APP1, APP2, COM } = JPEG_MARKER
const XMP_PREFIX = 'http://ns.adobe.com/xap/1.0/\0'
/** Versions of ISO 21496-1, all a primary image says: the least that a reader must know, and the writer's. */
const ISO_VERSIONS = [0, 0, 0, 0]

const holds = (content: Uint8Array, text: string): boolean =>
  Buffer.from(content.buffer, content.byteOffset, content.length).includes(text, 0, 'latin1')

/** Whether the content of a JPEG segment announces that the file brings a gain map. */
export const announcesGainMap = (marker: number, content: Uint8Array): boolean =>
  (marker === APP1 && holds(content, ULTRA_HDR)) || (marker === APP2 && holds(content, ISO))

/** Where the segments before the pixels end. */
const headEnd = (jpeg: Buffer): number => {
  let at = 2
  while (at + 4 <= jpeg.length && jpeg[at] === 0xff && jpeg[at + 1] !== SOS) at += 2 + jpeg.readUInt16BE(at + 2)
  return Math.min(at, jpeg.length)
}

/** A gain map: the JPEG itself without metadata, and the segments that say how it is to be applied. */
export interface GainMap {
  readonly jpeg: Buffer
  readonly segments: readonly Buffer[]
}

/** Takes a gain map apart; undefined when nothing says how it is to be applied. */
export const readGainMap = (file: Uint8Array): GainMap | undefined => {
  const jpeg = Buffer.from(file.buffer, file.byteOffset, file.length)
  const end = headEnd(jpeg)
  const kept: Buffer[] = [jpeg.subarray(0, 2)]
  const segments: Buffer[] = []
  for (let at = 2; at < end; ) {
    const next = at + 2 + jpeg.readUInt16BE(at + 2)
    const [marker, whole] = [jpeg[at + 1]!, jpeg.subarray(at, next)]
    if (announcesGainMap(marker, whole.subarray(4))) segments.push(whole)
    else if (marker === APP0 || (!isApplication(marker) && marker !== COM)) kept.push(whole)
    at = next
  }
  return segments.length === 0 ? undefined : { jpeg: Buffer.concat([...kept, jpeg.subarray(end)]), segments }
}

/** XMP of a primary image (Ultra HDR Image Format 1.1): behind it a gain map of so many bytes. */
const xmpOf = (bytes: number): Uint8Array => {
  const item = (semantic: string, length: string): string =>
    `<rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="${semantic}" Item:Mime="image/jpeg"${length}/></rdf:li>`
  const xml =
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
    `<rdf:Description rdf:about="" xmlns:hdrgm="${ULTRA_HDR}" xmlns:Container="http://ns.google.com/photos/1.0/container/"` +
    ' xmlns:Item="http://ns.google.com/photos/1.0/container/item/" hdrgm:Version="1.0"><Container:Directory><rdf:Seq>' +
    `${item('Primary', '')}${item('GainMap', ` Item:Length="${bytes}"`)}` +
    '</rdf:Seq></Container:Directory></rdf:Description></rdf:RDF></x:xmpmeta>'
  return writeJpegSegment(APP1, Buffer.from(XMP_PREFIX + xml, 'latin1'))
}

const isoOf = (): Uint8Array =>
  writeJpegSegment(APP2, Buffer.from([...Buffer.from(`${ISO}\0`, 'latin1'), ...ISO_VERSIONS]))

/** Bytes of the index of two images with its marker and length. */
const INDEX_BYTES = 90
/** Offsets of its entries are counted from behind `MPF\0`. */
const INDEX_HEAD = 8

/** A multi-picture index (CIPA DC-007, section 5): the first image is the one to show, the second lies behind it. */
const indexOf = (first: number, at: number, second: number): Uint8Array => {
  const tiff = Buffer.alloc(INDEX_BYTES - INDEX_HEAD)
  tiff.write('MM\0*', 'latin1')
  tiff.writeUInt32BE(8, 4)
  tiff.writeUInt16BE(3, 8)
  // Version, number of images, entries: tag, type, count, value or offset.
  const fields = [
    [0xb000, 7, 4, 0x30313030],
    [0xb001, 4, 1, 2],
    [0xb002, 7, 32, 50],
  ] as const
  for (const [i, [tag, type, count, value]] of fields.entries()) {
    const offset = 10 + i * 12
    tiff.writeUInt16BE(tag, offset)
    tiff.writeUInt16BE(type, offset + 2)
    tiff.writeUInt32BE(count, offset + 4)
    tiff.writeUInt32BE(value, offset + 8)
  }
  // Kind (a baseline primary image), bytes, offset (0: the file's beginning), none that depends on it.
  tiff.writeUInt32BE(0x030000, 50)
  tiff.writeUInt32BE(first, 54)
  tiff.writeUInt32BE(second, 70)
  tiff.writeUInt32BE(first - (at + INDEX_HEAD), 74)
  return writeJpegSegment(APP2, Buffer.concat([Buffer.from('MPF\0', 'latin1'), tiff]))
}

/** A JPEG with a gain map behind it, announced in each of the ways that the map's own segments speak of (docs: Ultra HDR, ISO 21496-1). */
export const withGainMap = (jpeg: Uint8Array, { jpeg: map, segments }: GainMap): Buffer => {
  const second = Buffer.concat([Buffer.of(0xff, SOI), ...segments, map.subarray(2)])
  const spoken = (label: string): boolean => segments.some((segment) => holds(segment, label))
  const said = [...(spoken(ULTRA_HDR) ? [xmpOf(second.length)] : []), ...(spoken(ISO) ? [isoOf()] : [])]
  // JFIF stays first.
  const start = jpeg[3] === APP0 ? 4 + ((jpeg[4]! << 8) | jpeg[5]!) : 2
  const before = Buffer.concat([jpeg.subarray(0, start), ...said])
  const first = before.length + INDEX_BYTES + jpeg.length - start
  return Buffer.concat([before, indexOf(first, before.length, second.length), jpeg.subarray(start), second])
}
