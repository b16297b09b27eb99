import { EXIF_PREFIX } from '../../containers/exif.ts'
import { type AppleGainMap, announcesGainMap, appleGainMapIn } from '../../containers/gain-map.ts'
import { isFrameMarker, isStandalone, JPEG_MARKER, PROFILE_PREFIX } from '../../containers/jpeg.ts'
import { isPictureIndex, readPictureIndex } from '../../containers/multi-picture.ts'
import { fail } from '../../core/failure.ts'
import type { Orientation, SourceFacts } from '../../core/image.ts'
import { PIECE_BYTES } from '../../core/piece-bytes.ts'
import { MAX_HEADER_ITEMS } from '../../core/untrusted-header.ts'
import { orientationOf } from './exif.ts'
import { classifyProfile } from './icc.ts'
import { estimateQuality, type QuantTable } from './jpeg-quality.ts'
import { type ByteReader, exactly, type ReadHeader, requireExtent } from './reader.ts'

interface Segment {
  readonly marker: number
  readonly offset: number
  readonly length: number
}

interface Frame {
  readonly height: number
  readonly width: number
  /** Quantisation table of each component. */
  readonly tables: readonly number[]
}

const { SOF0, SOF1, SOF2, SOF9, SOF10, SOS, EOI, DQT, APP1, APP2 } = JPEG_MARKER
/** Frame types that decoders support: baseline, extended and progressive, with Huffman or arithmetic coding. */
const DECODABLE: ReadonlySet<number> = new Set([SOF0, SOF1, SOF2, SOF9, SOF10])

/** The next marker at or after `offset`. Skips stray bytes and fill bytes. */
const findMarker = async (
  reader: ByteReader,
  offset: number,
): Promise<{ marker: number; after: number } | undefined> => {
  const two = await reader.at(offset, 2)
  const tight = two.length === 2 && two[0] === 0xff && two[1] !== 0x00 && two[1] !== 0xff
  const bytes = tight ? two : await reader.at(offset, PIECE_BYTES)
  for (let at = bytes.indexOf(0xff); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const marker = bytes[at + 1]
    if (marker !== undefined && marker !== 0x00 && marker !== 0xff) return { marker, after: offset + at + 2 }
  }
  return undefined
}

/** The segments up to the first scan. */
async function* segmentsOf(reader: ByteReader): AsyncGenerator<Segment> {
  let offset = 2
  for (let count = 0; count < MAX_HEADER_ITEMS; count++) {
    const found = await findMarker(reader, offset)
    if (found === undefined || found.marker === EOI) return
    offset = found.after
    if (isStandalone(found.marker)) continue
    const length = (await exactly(reader, offset, 2)).readUInt16BE(0)
    if (length < 2) throw fail('SOURCE_DAMAGED')
    if (found.marker === SOS) return
    yield { marker: found.marker, offset: offset + 2, length: length - 2 }
    offset += length
  }
}

const readFrame = (marker: number, bytes: Buffer): Frame => {
  if (bytes.length < 6) throw fail('SOURCE_DAMAGED')
  if (!DECODABLE.has(marker)) throw fail('FORMAT_UNSUPPORTED', 'a lossless or hierarchical JPEG')
  if (bytes[0] === 12) throw fail('FORMAT_UNSUPPORTED', 'a JPEG of 12 bits per channel')
  const components = bytes[5] ?? 0
  if (bytes[0] !== 8 || components === 0 || bytes.length < 6 + components * 3) throw fail('SOURCE_DAMAGED')
  const tables = Array.from({ length: components }, (_, i) => bytes[8 + i * 3] ?? 0)
  return { height: bytes.readUInt16BE(1), width: bytes.readUInt16BE(3), tables }
}

/** The bytes of a quantisation table: 64 numbers of one byte each, or of two. */
type StoredTable = Buffer

const readTables = (bytes: Buffer, tables: Map<number, StoredTable>): void => {
  let at = 0
  while (at < bytes.length) {
    const [wide, id] = [(bytes[at] ?? 0) >> 4 > 0, (bytes[at] ?? 0) & 15]
    at++
    const size = wide ? 128 : 64
    if (at + size > bytes.length) return
    tables.set(id, Buffer.from(bytes.subarray(at, at + size)))
    at += size
  }
}

const numbersOf = (table: StoredTable): QuantTable =>
  table.length === 64 ? [...table] : Array.from({ length: 64 }, (_, i) => table.readUInt16BE(i * 2))

const profileOf = (chunks: readonly Buffer[], channels: number): SourceFacts['profile'] => {
  const inOrder = chunks.toSorted((a, b) => (a[12] ?? 0) - (b[12] ?? 0))
  return classifyProfile(Buffer.concat(inOrder.map((chunk) => chunk.subarray(14))), channels)
}

/** Facts gathered up to the first scan. */
interface Gathered {
  frame?: Frame
  exif?: Buffer
  gainMap?: true
  /** The index of further images (MPF), and the position that its offsets are relative to. */
  pictures?: { readonly index: Buffer; readonly from: number }
  readonly tables: Map<number, StoredTable>
  readonly profile: Buffer[]
}

const isExif = (bytes: Buffer): boolean => bytes.toString('latin1', 0, 6) === EXIF_PREFIX
const isProfile = (bytes: Buffer): boolean => bytes.toString('latin1', 0, 12) === PROFILE_PREFIX

const gather = async (reader: ByteReader): Promise<Gathered> => {
  const found: Gathered = { tables: new Map(), profile: [] }
  for await (const { marker, offset, length } of segmentsOf(reader)) {
    const bytes = await reader.at(offset, length)
    if (isFrameMarker(marker)) found.frame ??= readFrame(marker, bytes)
    if (marker === DQT) readTables(bytes, found.tables)
    // `bytes` is a view of a window that moves on, so copies are kept.
    if (marker === APP1 && isExif(bytes)) found.exif ??= Buffer.from(bytes)
    if (announcesGainMap(marker, bytes)) found.gainMap = true
    if (marker === APP2 && isPictureIndex(bytes)) found.pictures ??= { index: Buffer.from(bytes), from: offset + 4 }
    if (marker === APP2 && isProfile(bytes)) found.profile.push(Buffer.from(bytes))
  }
  return found
}

const qualityOf = ({ tables }: Gathered, frame: Frame): number => {
  const [first, second] = frame.tables.map((id) => tables.get(id))
  // Without a table for the first component, any table will do: decoders need one.
  const luminance = first ?? [...tables.values()][0]
  if (luminance === undefined) throw fail('SOURCE_DAMAGED')
  const chrominance = frame.tables.length === 3 && second !== first ? second : undefined
  return estimateQuality(numbersOf(luminance), chrominance && numbersOf(chrominance))
}

/** Apple declares a gain map only in the map's own XMP. The index of images leads to it. */
const appleGainMapOf = async (reader: ByteReader, { pictures }: Gathered): Promise<AppleGainMap> => {
  for (const { offset, bytes } of pictures === undefined ? [] : readPictureIndex(pictures.index)) {
    if (offset === 0) continue
    const found = appleGainMapIn(await reader.at(pictures!.from + offset, Math.min(bytes, PIECE_BYTES)))
    if (found !== 'none') return found
  }
  return 'none'
}

const gainMapOf = async (
  reader: ByteReader,
  found: Gathered,
): Promise<Pick<SourceFacts, 'gainMap' | 'gainMapBound'>> => {
  if (found.gainMap === true) return { gainMap: true }
  const apples = await appleGainMapOf(reader, found)
  if (apples === 'none') return {}
  return apples === 'whole' ? { gainMap: true } : { gainMap: true, gainMapBound: true }
}

/** JPEG: reads up to the first scan, and identifies further images. Fails with SOURCE_DAMAGED without a frame or quantisation tables. */
export const readJpegHeader: ReadHeader = async (reader) => {
  const found = await gather(reader)
  if (found.frame === undefined) throw fail('SOURCE_DAMAGED')
  const components = found.frame.tables.length
  const orientation: Orientation = found.exif === undefined ? 1 : await orientationOf(found.exif)
  return {
    format: 'jpeg',
    ...requireExtent(found.frame.width, found.frame.height),
    frames: 1,
    alpha: false,
    orientation,
    profile: found.profile.length === 0 ? 'none' : profileOf(found.profile, components),
    depth: 8,
    jpeg: { quality: qualityOf(found, found.frame), components },
    ...(await gainMapOf(reader, found)),
  }
}
