import { isApplication, JPEG_MARKER, writeJpegSegment } from './jpeg.ts'
import { INDEX_BYTES, isPictureIndex, readPictureIndex, writePictureIndex } from './multi-picture.ts'

/** What announces a gain map: XMP of Ultra HDR (Adobe, Android), and the label of ISO 21496-1. */
const ULTRA_HDR = 'http://ns.adobe.com/hdr-gain-map/1.0/'
const ISO = 'urn:iso:std:iso:ts:21496:-1'
/** What Apple's photographs say in the gain map's own XMP; how bright it makes them stands there too, or in the camera's own data. */
const APPLE = 'urn:com:apple:photo:2020:aux:hdrgainmap'
const APPLE_HEADROOM = 'HDRGainMapHeadroom'

const { SOI, SOS, APP0, APP1, APP2, COM } = JPEG_MARKER
const XMP_PREFIX = 'http://ns.adobe.com/xap/1.0/\0'
/** Versions of ISO 21496-1, all a primary image says: the least that a reader must know, and the writer's. */
const ISO_VERSIONS = [0, 0, 0, 0]

const holds = (content: Uint8Array, text: string): boolean =>
  Buffer.from(content.buffer, content.byteOffset, content.length).includes(text, 0, 'latin1')

/** Whether the content of a JPEG segment announces that the file brings a gain map. */
export const announcesGainMap = (marker: number, content: Uint8Array): boolean =>
  (marker === APP1 && holds(content, ULTRA_HDR)) || (marker === APP2 && holds(content, ISO))

const isApples = (marker: number, content: Uint8Array): boolean => marker === APP1 && holds(content, APPLE)

interface Segment {
  readonly marker: number
  /** Where it begins in the file. */
  readonly at: number
  /** With marker and length. */
  readonly whole: Buffer
  readonly content: Buffer
}

/** The segments before the pixels, as far as they go. */
function* segmentsOf(file: Uint8Array): Generator<Segment> {
  const jpeg = Buffer.from(file.buffer, file.byteOffset, file.length)
  for (let at = 2; at + 4 <= jpeg.length && jpeg[at] === 0xff && jpeg[at + 1] !== SOS; ) {
    const whole = jpeg.subarray(at, at + 2 + jpeg.readUInt16BE(at + 2))
    yield { marker: jpeg[at + 1]!, at, whole, content: whole.subarray(4) }
    at += 2 + jpeg.readUInt16BE(at + 2)
  }
}

/** A gain map: the JPEG itself without metadata, and the segments that say how it is to be applied. */
export interface GainMap {
  readonly jpeg: Buffer
  readonly segments: readonly Buffer[]
}

/** Takes a gain map apart; undefined when nothing says how it is to be applied. */
export const readGainMap = (file: Uint8Array): GainMap | undefined => {
  const jpeg = Buffer.from(file.buffer, file.byteOffset, file.length)
  const kept: Buffer[] = [jpeg.subarray(0, 2)]
  const segments: Buffer[] = []
  let end = 2
  for (const { marker, at, whole, content } of segmentsOf(jpeg)) {
    if (announcesGainMap(marker, content) || isApples(marker, content)) segments.push(whole)
    else if (marker === APP0 || (!isApplication(marker) && marker !== COM)) kept.push(whole)
    end = at + Math.max(2, whole.length)
  }
  return segments.length === 0 ? undefined : { jpeg: Buffer.concat([...kept, jpeg.subarray(end)]), segments }
}

/** Whether an image that stands beside another is a gain map by Apple, and whether it says itself how it is to be applied. */
export type AppleGainMap = 'whole' | 'partial' | 'none'

/** What the beginning of an image tells of that, as far as its segments go. */
export const appleGainMapIn = (head: Uint8Array): AppleGainMap => {
  for (const { marker, content } of segmentsOf(head))
    if (isApples(marker, content)) return holds(content, APPLE_HEADROOM) ? 'whole' : 'partial'
  return 'none'
}

/** The file of Apple's gain map in a photograph, where it says itself how it is to be applied. */
export const findAppleGainMap = (photograph: Uint8Array): Uint8Array | undefined => {
  for (const { marker, at, content } of segmentsOf(photograph)) {
    if (marker !== APP2 || !isPictureIndex(content)) continue
    // Offsets are counted from behind the segment's head and label.
    const pictures = readPictureIndex(content).filter(({ offset }) => offset !== 0)
    return pictures
      .map(({ offset, bytes }) => photograph.subarray(at + 8 + offset, at + 8 + offset + bytes))
      .find((picture) => appleGainMapIn(picture) === 'whole')
  }
  return undefined
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

/** A JPEG with a gain map behind it, announced in each of the ways that the map's own segments speak of (docs: Ultra HDR, ISO 21496-1). */
export const withGainMap = (jpeg: Uint8Array, { jpeg: map, segments }: GainMap): Buffer => {
  const second = Buffer.concat([Buffer.of(0xff, SOI), ...segments, map.subarray(2)])
  const spoken = (label: string): boolean => segments.some((segment) => holds(segment, label))
  const said = [...(spoken(ULTRA_HDR) ? [xmpOf(second.length)] : []), ...(spoken(ISO) ? [isoOf()] : [])]
  // JFIF stays first.
  const start = jpeg[3] === APP0 ? 4 + ((jpeg[4]! << 8) | jpeg[5]!) : 2
  const before = Buffer.concat([jpeg.subarray(0, start), ...said])
  const first = before.length + INDEX_BYTES + jpeg.length - start
  return Buffer.concat([before, writePictureIndex(first, before.length, second.length), jpeg.subarray(start), second])
}
