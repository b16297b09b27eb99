import { HEADER_SIZES } from '../core/header-sizes.ts'
import { ISO_GAIN_MAP as ISO, ULTRA_HDR } from './gain-map-metadata.ts'
import { isApplication, JPEG_MARKER, writeJpegSegment, XMP_PREFIX } from './jpeg.ts'
import { isPictureIndex, readPictureIndex, writePictureIndex } from './multi-picture.ts'

/** Label in the XMP of Apple's gain maps. The headroom is there too, or only in the camera's own data. */
const APPLE = 'urn:com:apple:photo:2020:aux:hdrgainmap'
const APPLE_HEADROOM = 'HDRGainMapHeadroom'

const { SOI, SOS, APP0, APP1, APP2, COM } = JPEG_MARKER
/** Versions of ISO 21496-1 in a primary image: the minimum that a reader must support, and the writer's. */
const ISO_VERSIONS = [0, 0, 0, 0]

const holds = (content: Uint8Array, text: string): boolean =>
  Buffer.from(content.buffer, content.byteOffset, content.length).includes(text, 0, 'latin1')

/** Whether a JPEG segment declares that the file has a gain map. */
export const announcesGainMap = (marker: number, content: Uint8Array): boolean =>
  (marker === APP1 && holds(content, ULTRA_HDR)) || (marker === APP2 && holds(content, ISO))

const isAppleGainMap = (marker: number, content: Uint8Array): boolean => marker === APP1 && holds(content, APPLE)

interface Segment {
  readonly marker: number
  /** Offset in the file. */
  readonly at: number
  /** With marker and length. */
  readonly whole: Buffer
  readonly content: Buffer
}

/** The segments before the pixels, as far as the bytes go. */
function* segmentsOf(file: Uint8Array): Generator<Segment> {
  const jpeg = Buffer.from(file.buffer, file.byteOffset, file.length)
  for (let at = 2; at + 4 <= jpeg.length && jpeg[at] === 0xff && jpeg[at + 1] !== SOS; ) {
    const whole = jpeg.subarray(at, at + 2 + jpeg.readUInt16BE(at + 2))
    yield { marker: jpeg[at + 1]!, at, whole, content: whole.subarray(4) }
    at += 2 + jpeg.readUInt16BE(at + 2)
  }
}

/** A gain map: its JPEG without metadata, and the segments with its parameters. */
export interface GainMap {
  readonly jpeg: Buffer
  readonly segments: readonly Buffer[]
}

/** Splits a gain map. undefined when it has no parameters. */
export const readGainMap = (file: Uint8Array): GainMap | undefined => {
  const jpeg = Buffer.from(file.buffer, file.byteOffset, file.length)
  const kept: Buffer[] = [jpeg.subarray(0, 2)]
  const segments: Buffer[] = []
  let end = 2
  for (const { marker, at, whole, content } of segmentsOf(jpeg)) {
    if (announcesGainMap(marker, content) || isAppleGainMap(marker, content)) segments.push(whole)
    else if (marker === APP0 || (!isApplication(marker) && marker !== COM)) kept.push(whole)
    end = at + Math.max(2, whole.length)
  }
  return segments.length === 0 ? undefined : { jpeg: Buffer.concat([...kept, jpeg.subarray(end)]), segments }
}

/** Whether an image next to another one is Apple's gain map: with its headroom (`whole`), or without it (`partial`). */
export type AppleGainMap = 'whole' | 'partial' | 'none'

/** Classifies an image by the segments in its beginning. */
export const appleGainMapIn = (head: Uint8Array): AppleGainMap => {
  for (const { marker, content } of segmentsOf(head))
    if (isAppleGainMap(marker, content)) return holds(content, APPLE_HEADROOM) ? 'whole' : 'partial'
  return 'none'
}

/** The file of Apple's gain map in a photograph, if it has its headroom. */
export const findAppleGainMap = (photograph: Uint8Array): Uint8Array | undefined => {
  for (const { marker, at, content } of segmentsOf(photograph)) {
    if (marker !== APP2 || !isPictureIndex(content)) continue
    // Offsets are relative to the position after the segment's head and label.
    const pictures = readPictureIndex(content).filter(({ offset }) => offset !== 0)
    return pictures
      .map(({ offset, bytes }) => photograph.subarray(at + 8 + offset, at + 8 + offset + bytes))
      .find((picture) => appleGainMapIn(picture) === 'whole')
  }
  return undefined
}

/** The content of an XMP packet, without its wrapper. */
const descriptionOf = (packet: Buffer): string => {
  const text = packet.toString('utf8')
  const [start, end] = [text.indexOf('<rdf:Description'), text.lastIndexOf('</rdf:RDF>')]
  return start < 0 || end < start ? '' : text.slice(start, end)
}

/** XMP of a primary image (Ultra HDR Image Format 1.1) with a gain map of `bytes` bytes after it. A file has one packet, so it includes `also`. */
const xmpOf = (bytes: number, also: string): Uint8Array => {
  const item = (semantic: string, length: string): string =>
    `<rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="${semantic}" Item:Mime="image/jpeg"${length}/></rdf:li>`
  const xml =
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
    `<rdf:Description rdf:about="" xmlns:hdrgm="${ULTRA_HDR}" xmlns:Container="http://ns.google.com/photos/1.0/container/"` +
    ' xmlns:Item="http://ns.google.com/photos/1.0/container/item/" hdrgm:Version="1.0"><Container:Directory><rdf:Seq>' +
    `${item('Primary', '')}${item('GainMap', ` Item:Length="${bytes}"`)}` +
    `</rdf:Seq></Container:Directory></rdf:Description>${also}</rdf:RDF></x:xmpmeta>`
  return writeJpegSegment(APP1, Buffer.from(XMP_PREFIX + xml, 'utf8'))
}

/** Separates a JPEG from its XMP packet. Returns the packet's content too. */
const splitXmp = (jpeg: Uint8Array): { readonly rest: Uint8Array; readonly also: string } => {
  for (const { marker, at, whole, content } of segmentsOf(jpeg)) {
    if (marker !== APP1 || content.toString('latin1', 0, XMP_PREFIX.length) !== XMP_PREFIX) continue
    const rest = Buffer.concat([jpeg.subarray(0, at), jpeg.subarray(at + whole.length)])
    return { rest, also: descriptionOf(content.subarray(XMP_PREFIX.length)) }
  }
  return { rest: jpeg, also: '' }
}

const isoOf = (): Uint8Array =>
  writeJpegSegment(APP2, Buffer.from([...Buffer.from(`${ISO}\0`, 'latin1'), ...ISO_VERSIONS]))

/** Appends a gain map to a JPEG, and declares it in each form that the map's own segments use (Ultra HDR, ISO 21496-1). */
export const withGainMap = (file: Uint8Array, { jpeg: map, segments }: GainMap): Buffer => {
  const second = Buffer.concat([Buffer.of(0xff, SOI), ...segments, map.subarray(2)])
  const hasLabel = (label: string): boolean => segments.some((segment) => holds(segment, label))
  const { rest: jpeg, also } = hasLabel(ULTRA_HDR) ? splitXmp(file) : { rest: file, also: '' }
  const declarations = [
    ...(hasLabel(ULTRA_HDR) ? [xmpOf(second.length, also)] : []),
    ...(hasLabel(ISO) ? [isoOf()] : []),
  ]
  // JFIF must stay first.
  const start = jpeg[3] === APP0 ? 4 + ((jpeg[4]! << 8) | jpeg[5]!) : 2
  const before = Buffer.concat([jpeg.subarray(0, start), ...declarations])
  const first = before.length + HEADER_SIZES.pictureIndex + jpeg.length - start
  return Buffer.concat([before, writePictureIndex(first, before.length, second.length), jpeg.subarray(start), second])
}
