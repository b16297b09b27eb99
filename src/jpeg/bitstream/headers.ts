import { JPEG_MARKER } from '../../containers/jpeg.ts'
import { JpegRefusal, type RefusalReason } from './refusal.ts'

/** The frame header (SOFn). */
export interface FrameHeader {
  readonly progressive: boolean
  readonly width: number
  readonly height: number
  readonly parts: { id: number; h: number; v: number; table: number }[]
}

/** A scan header (SOS); `parts` name frame components by index. */
export interface ScanHeader {
  readonly parts: { component: number; dc: number; ac: number }[]
  readonly ss: number
  readonly se: number
  readonly ah: number
  readonly al: number
}

/** One Huffman table of a DHT segment: class 0 DC or 1 AC, slot, 16 counts, then the symbols. */
export interface HuffmanTable {
  readonly kind: number
  readonly id: number
  readonly counts: Uint8Array
  readonly symbols: Uint8Array
}

const REFUSED_FRAMES: Record<number, RefusalReason> = {
  195: 'lossless',
  197: 'hierarchical',
  198: 'hierarchical',
  199: 'lossless',
  201: 'arithmetic',
  202: 'arithmetic',
  203: 'lossless',
  205: 'hierarchical',
  206: 'hierarchical',
  207: 'lossless',
}

/** Reads a frame header's payload; throws a JpegRefusal for what we do not decode. */
export const readFrameHeader = (marker: number, data: Uint8Array): FrameHeader => {
  const refused = REFUSED_FRAMES[marker]
  if (refused) throw new JpegRefusal(refused)
  if (data.length < 6) throw new JpegRefusal('bad-header')
  if (data[0] !== 8) throw new JpegRefusal('twelve-bit')
  const height = (data[1]! << 8) | data[2]!
  const width = (data[3]! << 8) | data[4]!
  const count = data[5]!
  if (width === 0 || count < 1 || count > 4 || data.length < 6 + 3 * count) throw new JpegRefusal('bad-header')
  if (height === 0) throw new JpegRefusal('unknown-height')
  const parts = Array.from({ length: count }, (_, i) => {
    const [id, hv, table] = [data[6 + 3 * i]!, data[7 + 3 * i]!, data[8 + 3 * i]!]
    return { id, h: hv >> 4, v: hv & 15, table }
  })
  if (parts.some((p) => p.h < 1 || p.h > 4 || p.v < 1 || p.v > 4 || p.table > 3)) throw new JpegRefusal('bad-header')
  if (new Set(parts.map((p) => p.id)).size < count) throw new JpegRefusal('bad-header')
  return { progressive: marker === JPEG_MARKER.SOF2, width, height, parts }
}

/** Reads a scan header's payload against its frame; undefined when it is none we can follow. */
export const readScanHeader = (frame: FrameHeader, data: Uint8Array): ScanHeader | undefined => {
  const n = data[0] ?? 0
  if (n < 1 || n > 4 || data.length < 4 + 2 * n) return undefined
  const parts = Array.from({ length: n }, (_, i) => {
    const tables = data[2 + 2 * i]!
    const component = frame.parts.findIndex((part) => part.id === data[1 + 2 * i])
    return { component, dc: tables >> 4, ac: tables & 15 }
  })
  if (parts.some((part) => part.component < 0 || part.dc > 3 || part.ac > 3)) return undefined
  if (new Set(parts.map((part) => part.component)).size < n) return undefined
  const [ss, se, bits] = [data[1 + 2 * n]!, data[2 + 2 * n]!, data[3 + 2 * n]!]
  const scan = { parts, ss, se, ah: bits >> 4, al: bits & 15 }
  return frame.progressive ? progressiveScan(scan) : { ...scan, ss: 0, se: 63, ah: 0, al: 0 }
}

const progressiveScan = (scan: ScanHeader): ScanHeader | undefined => {
  const { ss, se, ah, al, parts } = scan
  const dc = ss === 0 && se === 0
  const ac = ss > 0 && se >= ss && se < 64 && parts.length === 1
  const bits = al < 14 && (ah === 0 || ah === al + 1)
  return (dc || ac) && bits ? scan : undefined
}

/** Reads the tables of a DQT payload: slot and 64 steps in zigzag order; stops at the first that is cut short. */
export const readQuantTables = (data: Uint8Array): { id: number; quantTable: Uint16Array }[] => {
  const found: { id: number; quantTable: Uint16Array }[] = []
  for (let at = 0; at < data.length; ) {
    const sixteenBit = data[at]! >> 4 > 0
    const id = data[at]! & 15
    const size = sixteenBit ? 128 : 64
    if (id > 3 || at + 1 + size > data.length) break
    const raw = data.subarray(at + 1, at + 1 + size)
    found.push({
      id,
      quantTable: Uint16Array.from({ length: 64 }, (_, k) =>
        sixteenBit ? (raw[2 * k]! << 8) | raw[2 * k + 1]! : raw[k]!,
      ),
    })
    at += 1 + size
  }
  return found
}

/** Reads the tables of a DHT payload; stops at the first that is cut short. */
export const readHuffmanTables = (data: Uint8Array): HuffmanTable[] => {
  const found: HuffmanTable[] = []
  for (let at = 0; at + 17 <= data.length; ) {
    const [kind, id] = [data[at]! >> 4, data[at]! & 15]
    const counts = data.subarray(at + 1, at + 17)
    const total = counts.reduce((sum, count) => sum + count, 0)
    if (kind > 1 || id > 3 || total > 256 || at + 17 + total > data.length) break
    found.push({ kind, id, counts, symbols: data.subarray(at + 17, at + 17 + total) })
    at += 17 + total
  }
  return found
}
