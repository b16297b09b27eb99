/** Parameters of a gain map, in ISO 21496-1 (annex C) and in the XMP of Ultra HDR Image Format 1.1: reading and writing. */

import type sax from 'sax'
import { MAX_INT32 } from '../core/units.ts'
import { JPEG_MARKER, writeJpegSegment, XMP_PREFIX } from './jpeg.ts'
import { openSax } from './open-sax.ts'

/** Labels of both forms. */
export const ULTRA_HDR = 'http://ns.adobe.com/hdr-gain-map/1.0/'
export const ISO_GAIN_MAP = 'urn:iso:std:iso:ts:21496:-1'

/** Parameters of one channel. Gains are log2; offsets are added to linear samples, where 1 is SDR white. */
export interface GainChannel {
  readonly min: number
  readonly max: number
  readonly gamma: number
  readonly baseOffset: number
  readonly alternateOffset: number
}

export interface GainMapMetadata {
  /** One for all channels, or red, green and blue. */
  readonly channels: readonly GainChannel[]
  /** Headrooms in log2 at which the base and the HDR rendition are shown unchanged. */
  readonly baseHeadroom: number
  readonly alternateHeadroom: number
  /** ISO only: gains apply to the primaries of the base. */
  readonly inBaseColours: boolean
}

const { APP1, APP2 } = JPEG_MARKER

/** Flags of ISO 21496-1, as written by libultrahdr. */
const FLAG = { CHANNELS: 0x80, BASE_COLOURS: 0x40, COMMON_DENOMINATOR: 0x08 } as const

const ISO_HEAD = Buffer.from(`${ISO_GAIN_MAP}\0`, 'latin1')

/** Reads numbers in sequence. Throws at the end of the bytes. */
const reader = (bytes: Buffer) => {
  let at = 0
  const take = (read: (offset: number) => number): number => {
    const value = read(at)
    at += 4
    return value
  }
  return {
    unsigned: (): number => take((offset) => bytes.readUInt32BE(offset)),
    signed: (): number => take((offset) => bytes.readInt32BE(offset)),
  }
}

const readIsoBody = (body: Buffer): GainMapMetadata => {
  const flags = body[4]!
  const { unsigned, signed } = reader(body.subarray(5))
  const common = (flags & FLAG.COMMON_DENOMINATOR) === 0 ? undefined : unsigned()
  const fraction = (numerator: () => number): number => {
    const above = numerator()
    return above / (common ?? unsigned())
  }
  const baseHeadroom = fraction(unsigned)
  const alternateHeadroom = fraction(unsigned)
  const channels = Array.from({ length: (flags & FLAG.CHANNELS) === 0 ? 1 : 3 }, () => ({
    min: fraction(signed),
    max: fraction(signed),
    gamma: fraction(unsigned),
    baseOffset: fraction(signed),
    alternateOffset: fraction(signed),
  }))
  return { channels, baseHeadroom, alternateHeadroom, inBaseColours: (flags & FLAG.BASE_COLOURS) !== 0 }
}

/** Fields of the XMP form, with their defaults. */
const XMP_FIELDS = {
  GainMapMin: 0,
  GainMapMax: 1,
  Gamma: 1,
  OffsetSDR: 1 / 64,
  OffsetHDR: 1 / 64,
  HDRCapacityMin: 0,
  HDRCapacityMax: 1,
} as const
type XmpField = keyof typeof XMP_FIELDS

const isField = (name: string): name is XmpField => Object.hasOwn(XMP_FIELDS, name)

/** Values by field. An attribute has one, a list up to three. */
const readXmpValues = (packet: string): ReadonlyMap<XmpField, readonly number[]> => {
  const values = new Map<XmpField, number[]>()
  let open: XmpField | undefined
  const parser = openSax({ trim: true })
  const add = (field: XmpField, text: string): void => {
    const value = Number(text)
    if (text.trim() === '' || !Number.isFinite(value)) return
    const list = values.get(field) ?? []
    list.push(value)
    values.set(field, list)
  }
  parser.onopentag = (tag) => {
    const { uri, local, attributes } = tag as sax.QualifiedTag
    if (uri === ULTRA_HDR && isField(local)) open = local
    for (const { uri: space, local: name, value } of Object.values(attributes))
      if (space === ULTRA_HDR && isField(name)) add(name, value)
  }
  parser.onclosetag = (name) => {
    if (open !== undefined && name.endsWith(`:${open}`)) open = undefined
  }
  parser.ontext = (text) => open !== undefined && add(open, text)
  parser.write(packet).close()
  return values
}

const readXmpBody = (packet: string): GainMapMetadata | undefined => {
  const values = readXmpValues(packet)
  if (!values.has('GainMapMax')) return undefined
  const of = (field: XmpField, channel = 0): number => {
    const list = values.get(field) ?? []
    return list[Math.min(channel, list.length - 1)] ?? XMP_FIELDS[field]
  }
  const count = Math.max(...[...values.values()].map(({ length }) => length)) >= 3 ? 3 : 1
  const channels = Array.from({ length: count }, (_, channel) => ({
    min: of('GainMapMin', channel),
    max: of('GainMapMax', channel),
    gamma: of('Gamma', channel),
    baseOffset: of('OffsetSDR', channel),
    alternateOffset: of('OffsetHDR', channel),
  }))
  return { channels, baseHeadroom: of('HDRCapacityMin'), alternateHeadroom: of('HDRCapacityMax'), inBaseColours: true }
}

/** The parameters in one segment of a gain map. undefined when it has none that can be read. */
const readOne = (segment: Uint8Array): GainMapMetadata | undefined => {
  const content = Buffer.from(segment.buffer, segment.byteOffset, segment.length).subarray(4)
  if (content.subarray(0, ISO_HEAD.length).equals(ISO_HEAD)) return readIsoBody(content.subarray(ISO_HEAD.length))
  if (content.toString('latin1', 0, XMP_PREFIX.length) !== XMP_PREFIX) return undefined
  return readXmpBody(content.toString('utf8', XMP_PREFIX.length))
}

/** Denominator of written fractions. */
const DENOMINATOR = 1e6

/** Whether the numerators fit into 32 bits (ISO 21496-1, annex C). */
const isUsable = ({ channels, baseHeadroom, alternateHeadroom }: GainMapMetadata): boolean =>
  [baseHeadroom, alternateHeadroom, ...channels.flatMap((channel) => Object.values(channel))].every(
    (value) => Math.abs(value) * DENOMINATOR <= MAX_INT32,
  ) && channels.every(({ gamma }) => gamma > 0)

/** The parameters of a gain map, from its first readable segment. undefined without one. */
export const readGainMapMetadata = (segments: readonly Uint8Array[]): GainMapMetadata | undefined => {
  for (const segment of segments)
    try {
      const metadata = readOne(segment)
      if (metadata !== undefined && isUsable(metadata)) return metadata
    } catch {
      // Damaged. Another segment may have the parameters too.
    }
  return undefined
}

const writeIso = ({ channels, baseHeadroom, alternateHeadroom, inBaseColours }: GainMapMetadata): Uint8Array => {
  const flags =
    (channels.length === 3 ? FLAG.CHANNELS : 0) | (inBaseColours ? FLAG.BASE_COLOURS : 0) | FLAG.COMMON_DENOMINATOR
  const numbers = [
    baseHeadroom,
    alternateHeadroom,
    ...channels.flatMap(({ min, max, gamma, baseOffset, alternateOffset }) => [
      min,
      max,
      gamma,
      baseOffset,
      alternateOffset,
    ]),
  ]
  const body = Buffer.alloc(5 + 4 + numbers.length * 4)
  body[4] = flags
  body.writeUInt32BE(DENOMINATOR, 5)
  for (const [i, value] of numbers.entries()) body.writeInt32BE(Math.round(value * DENOMINATOR), 9 + i * 4)
  return writeJpegSegment(APP2, Buffer.concat([ISO_HEAD, body]))
}

const printed = (value: number): string => `${Math.round(value * DENOMINATOR) / DENOMINATOR}`

const writeXmp = ({ channels, baseHeadroom, alternateHeadroom }: GainMapMetadata): Uint8Array => {
  const lists: readonly (readonly [XmpField, readonly number[]])[] = [
    ['GainMapMin', channels.map(({ min }) => min)],
    ['GainMapMax', channels.map(({ max }) => max)],
    ['Gamma', channels.map(({ gamma }) => gamma)],
    ['OffsetSDR', channels.map(({ baseOffset }) => baseOffset)],
    ['OffsetHDR', channels.map(({ alternateOffset }) => alternateOffset)],
    ['HDRCapacityMin', [baseHeadroom]],
    ['HDRCapacityMax', [alternateHeadroom]],
  ]
  const isSingle = ([, list]: (typeof lists)[number]): boolean => new Set(list.map(printed)).size === 1
  const attributes = lists.filter(isSingle).map(([name, [value = 0]]) => ` hdrgm:${name}="${printed(value)}"`)
  const elements = lists
    .filter((entry) => !isSingle(entry))
    .map(([name, list]) => {
      const items = list.map((value) => `<rdf:li>${printed(value)}</rdf:li>`).join('')
      return `<hdrgm:${name}><rdf:Seq>${items}</rdf:Seq></hdrgm:${name}>`
    })
  const packet =
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
    `<rdf:Description rdf:about="" xmlns:hdrgm="${ULTRA_HDR}" hdrgm:Version="1.0"${attributes.join('')} hdrgm:BaseRenditionIsHDR="False">` +
    `${elements.join('')}</rdf:Description></rdf:RDF></x:xmpmeta>`
  return writeJpegSegment(APP1, Buffer.from(XMP_PREFIX + packet, 'latin1'))
}

/** Segments with the parameters of a gain map in both forms, since some readers know only one. */
export const writeGainMapMetadata = (metadata: GainMapMetadata): readonly Buffer[] =>
  [writeXmp(metadata), writeIso(metadata)].map((segment) => Buffer.from(segment))
