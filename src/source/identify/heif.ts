import { fail } from '../../core/failure.ts'
import { TRANSFER } from '../../core/hdr.ts'
import type { Extent } from '../../core/image.ts'
import { quantiserOfAv1 } from './av1-quality.ts'
import { boxesIn, findBox } from './boxes.ts'
import { type Colours, coloursOfCodePoints } from './code-points.ts'
import { equivalentOfAv1 } from './equivalent-quality.ts'
import { classifyProfile } from './icc.ts'
import { type ByteReader, HEAD_BYTES, type ReadHeader, readBytes, requireExtent } from './reader.ts'

/** A property of an item with its content. */
interface Property {
  readonly name: string
  readonly bytes: Buffer
}

/** Bounds of the properties that are read. Chosen, not measured. */
const PROPERTIES = {
  /** Properties. */
  max: 500,
  /** Bytes of one. */
  maxBytes: 1_000_000,
} as const

const contentOf = async (reader: ByteReader, path: readonly string[]): Promise<Buffer | undefined> => {
  const box = await findBox(reader, path)
  return box === undefined ? undefined : Buffer.from(await reader.at(box.start, box.end - box.start))
}

/** pitm: version, flags, and an id of 2 or 4 bytes. */
const primaryOf = (pitm: Buffer | undefined): number | undefined => {
  if (pitm === undefined || pitm.length < 6) return undefined
  return pitm[0] === 0 ? pitm.readUInt16BE(4) : pitm.length >= 8 ? pitm.readUInt32BE(4) : undefined
}

const propertiesIn = async (meta: ByteReader): Promise<readonly Property[]> => {
  const box = await findBox(meta, ['iprp', 'ipco'])
  const found: Property[] = []
  if (box === undefined) return found
  for await (const { name, start, end } of boxesIn(meta, box.start, box.end)) {
    if (found.length === PROPERTIES.max) break
    found.push({ name, bytes: Buffer.from(await meta.at(start, Math.min(end - start, PROPERTIES.maxBytes))) })
  }
  return found
}

/** ipma: the property numbers of an item, from 1, in the order of their application. */
const numbersFor = (ipma: Buffer, item: number): readonly number[] => {
  const wideId = (ipma[0] ?? 0) >= 1
  const wideIndex = ((ipma[3] ?? 0) & 1) === 1
  let at = 8
  for (let left = ipma.readUInt32BE(4); left > 0; left--) {
    const id = wideId ? ipma.readUInt32BE(at) : ipma.readUInt16BE(at)
    at += wideId ? 4 : 2
    const count = ipma.readUInt8(at++)
    const size = wideIndex ? 2 : 1
    if (id === item)
      return Array.from({ length: count }, (_, i) =>
        wideIndex ? ipma.readUInt16BE(at + i * 2) & 0x7fff : ipma.readUInt8(at + i) & 0x7f,
      )
    at += count * size
  }
  return []
}

/** The size after a decoder's crop (clap) and rotation (irot). A mirror (imir) does not change it. */
const transformed = (properties: readonly Property[]): Extent => {
  let extent: Extent = { width: 0, height: 0 }
  for (const { name, bytes } of properties) {
    if (name === 'ispe') extent = { width: bytes.readUInt32BE(4), height: bytes.readUInt32BE(8) }
    if (name === 'clap')
      extent = {
        width: Math.round(bytes.readUInt32BE(0) / bytes.readUInt32BE(4)),
        height: Math.round(bytes.readUInt32BE(8) / bytes.readUInt32BE(12)),
      }
    if (name === 'irot' && ((bytes[0] ?? 0) & 1) === 1) extent = { width: extent.height, height: extent.width }
  }
  return requireExtent(extent.width, extent.height)
}

/** Transfers of video (BT.709, BT.601, BT.2020). Encoders state them by default, and browsers show sRGB's instead. */
const VIDEO_TRANSFERS: ReadonlySet<number> = new Set([1, 6, 14, 15])

/** The colours of an item: its ICC profile, else its code points (colr of type nclx). */
const coloursOf = (properties: readonly Property[], channels: number): Colours => {
  const colours = properties.filter(({ name }) => name === 'colr').map(({ bytes }) => bytes)
  const embedded = colours.find((bytes) => /^(prof|rICC)$/.test(bytes.toString('latin1', 0, 4)))
  if (embedded !== undefined) return { profile: classifyProfile(embedded.subarray(4), channels) }
  const coded = colours.find((bytes) => bytes.length >= 8 && bytes.toString('latin1', 0, 4) === 'nclx')
  if (coded === undefined) return { profile: 'none' }
  const transfer = coded.readUInt16BE(6)
  return coloursOfCodePoints({
    primaries: coded.readUInt16BE(4),
    transfer: VIDEO_TRANSFERS.has(transfer) ? TRANSFER.srgb : transfer,
  })
}

interface Coding {
  readonly format: 'avif' | 'heic'
  readonly depth: number
  readonly channels: number
}

/** av1C: bits of the third byte mean high bit depth, twelve bits, monochrome. hvcC: bytes 16 and 17 hold chroma format and depth. */
const codingOf = ({ name, bytes }: Property): Coding | undefined => {
  if (name === 'hvcC')
    return { format: 'heic', depth: 8 + ((bytes[17] ?? 0) & 7), channels: ((bytes[16] ?? 1) & 3) === 0 ? 1 : 3 }
  if (name !== 'av1C') return undefined
  const bits = bytes[2] ?? 0
  const depth = (bits & 0x40) === 0 ? 8 : (bits & 0x20) === 0 ? 10 : 12
  return { format: 'avif', depth, channels: (bits & 0x10) === 0 ? 3 : 1 }
}

/** The coding of the item itself, else of any item: a grid has none, and its tiles have one. */
const codingAmong = (own: readonly Property[], all: readonly Property[]): Coding => {
  const coding = [...own, ...all].map(codingOf).find((found) => found !== undefined)
  if (coding === undefined) throw fail('FORMAT_UNSUPPORTED', 'a HEIF image that is coded neither as HEVC nor as AV1')
  return coding
}

const isAlpha = ({ name, bytes }: Property): boolean =>
  name === 'auxC' && /(alpha|:aux:1|auxid:1)\0/.test(bytes.toString('latin1', 4))

/** Apple's auxiliary image. A tone-mapped derived image (ISO 21496-1) is an item of its own type. */
const isGainMap = ({ name, bytes }: Property): boolean =>
  name === 'auxC' && /:aux:hdrgainmap\0/.test(bytes.toString('latin1', 4))
const hasToneMap = (iinf: Buffer | undefined): boolean => /infe.{4,8}tmap/s.test(iinf?.toString('latin1') ?? '')

/** The number of samples of an image sequence's first track. */
const framesOf = async (reader: ByteReader): Promise<number> => {
  const stsz = await contentOf(reader, ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stsz'])
  return stsz === undefined || stsz.length < 12 ? 1 : Math.max(1, stsz.readUInt32BE(8))
}

/** The offset of an item in the file, by iloc (ISO/IEC 14496-12, section 8.11.3). undefined for other construction methods. */
const startOf = (iloc: Buffer | undefined, item: number | undefined): number | undefined => {
  if (iloc === undefined || item === undefined) return undefined
  const version = iloc[0] ?? 0
  const [offsetBytes, lengthBytes] = [iloc.readUInt8(4) >> 4, iloc.readUInt8(4) & 15]
  const [baseBytes, indexBytes] = [iloc.readUInt8(5) >> 4, version === 0 ? 0 : iloc.readUInt8(5) & 15]
  const idBytes = version < 2 ? 2 : 4
  let at = 6
  const take = (bytes: number): number => {
    const value = bytes === 0 ? 0 : bytes > 6 ? Number(iloc.readBigUInt64BE(at)) : iloc.readUIntBE(at, bytes)
    at += bytes
    return value
  }
  for (let left = Math.min(PROPERTIES.max, take(idBytes)); left > 0; left--) {
    const id = take(idBytes)
    const method = version === 0 ? 0 : take(2) & 15
    take(2)
    const base = take(baseBytes)
    const extents = take(2)
    if (id === item) {
      take(indexBytes)
      return method === 0 && extents > 0 ? base + take(offsetBytes) : undefined
    }
    // Extents may have no bytes, so that their number is not bounded by the file.
    at += extents * (indexBytes + offsetBytes + lengthBytes)
  }
  return undefined
}

/** The loss of a still AVIF, by the quantiser of its primary item. Nothing for grids and unusual headers. */
const lossOf = async (
  reader: ByteReader,
  start: number | undefined,
): Promise<{ readonly equivalentQuality?: number }> => {
  if (start === undefined) return {}
  const index = quantiserOfAv1(await reader.at(start, HEAD_BYTES))
  return index === undefined ? {} : { equivalentQuality: equivalentOfAv1(index) }
}

const readItems = async (meta: ByteReader) => {
  const all = await propertiesIn(meta)
  const item = primaryOf(await contentOf(meta, ['pitm']))
  const ipma = await contentOf(meta, ['iprp', 'ipma'])
  const numbers = item === undefined || ipma === undefined ? [] : numbersFor(ipma, item)
  const own = numbers.flatMap((number) => all[number - 1] ?? [])
  const extent = transformed(own)
  const { format, depth, channels } = codingAmong(own, all)
  const gainMap = all.some(isGainMap) || hasToneMap(await contentOf(meta, ['iinf']))
  return {
    format,
    ...extent,
    alpha: all.some(isAlpha),
    ...coloursOf(own, channels),
    depth,
    ...(gainMap ? { gainMap: true as const } : {}),
    start: format === 'avif' ? startOf(await contentOf(meta, ['iloc']), item) : undefined,
  }
}

/**
 * AVIF and HEIC, still or sequence: the primary item as a decoder shows it. The decoder rotates and mirrors, so the orientation is
 * always 1 and EXIF has no effect. Fails with SOURCE_DAMAGED when the item has no size.
 */
export const readHeif: ReadHeader = async (reader) => {
  const meta = await contentOf(reader, ['meta'])
  if (meta === undefined) throw fail('SOURCE_DAMAGED')
  const frames = await framesOf(reader)
  try {
    // The content of `meta` begins with version and flags.
    const { start, ...facts } = await readItems(readBytes(meta.subarray(4)))
    return { ...facts, ...(await lossOf(reader, start)), frames, orientation: 1 }
  } catch (error) {
    throw error instanceof RangeError ? fail('SOURCE_DAMAGED') : error
  }
}
