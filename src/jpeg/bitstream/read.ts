import { isFrameMarker, isStandalone, JPEG_MARKER } from '../../containers/jpeg.ts'
import { allocate, bytesAt, type Kernel } from '../kernel.ts'
import { coefficientBytes, describeFrame, type Frame, layOut } from './frame.ts'
import {
  type FrameHeader,
  readFrameHeader,
  readHuffmanTables,
  readQuantTables,
  readScanHeader,
  type ScanHeader,
} from './headers.ts'
import { JpegRefusal } from './refusal.ts'

const { SOI, EOI, SOS, DQT, DHT, DRI, DAC, DHP, APP0, APP14 } = JPEG_MARKER

/** A JPEG that was read: the frame with its coefficients in `kernel`, and the markers that define its colours. */
export interface ReadJpeg {
  readonly frame: Frame
  readonly progressive: boolean
  /** The Adobe marker's colour transform (0 none, 1 YCbCr, 2 YCCK); undefined without that marker. */
  readonly adobe: number | undefined
  readonly jfif: boolean
  /** Data was missing or damaged; what could be decoded is there. */
  readonly truncated: boolean
}

/** The limits that a source is read under. A scan costs as much as its blocks. */
const LIMITS = { pixels: 100_000_000, scansPerBlock: 100 } as const

interface Reading {
  kernel: Kernel
  bytes: Uint8Array
  start: number
  header: FrameHeader | undefined
  frame: Frame | undefined
  quantTable: (Uint16Array | undefined)[]
  tables: Set<number>
  interval: number
  /** Per component and coefficient: the lowest bit known, or undefined before its first scan. */
  known: (number | undefined)[][]
  work: number
  damaged: boolean
  adobe: number | undefined
  jfif: boolean
}

/** Reads a JPEG's coefficients into `kernel`; throws a JpegRefusal with a reason when it is not for us. Never trusts a length. */
export const readJpeg = (kernel: Kernel, bytes: Uint8Array): ReadJpeg => {
  if (bytes[0] !== 0xff || bytes[1] !== SOI) throw new JpegRefusal('not-a-jpeg')
  const start = allocate(kernel, bytes.length + 16)
  bytesAt(kernel, start, bytes.length).set(bytes)
  const reading: Reading = {
    kernel, bytes, start, header: undefined, frame: undefined, quantTable: [], tables: new Set(), interval: 0,
    known: [], work: 0, damaged: false, adobe: undefined, jfif: false,
  } // biome-ignore format: one line each tells nothing more
  readSegments(reading)
  const { frame, header } = reading
  if (!frame || !header || frame.components.every((c) => !c.quantTable)) throw new JpegRefusal('no-image')
  // Of a progressive file whose scans leave bits open, end marker or not, decoders show something smoother.
  const complete = reading.known.every((bits) => bits.every((bit) => bit === 0))
  const truncated = reading.damaged || !complete || frame.components.some((c) => !c.quantTable)
  for (const c of frame.components) c.quantTable ??= new Uint16Array(64).fill(1)
  return { frame, progressive: header.progressive, adobe: reading.adobe, jfif: reading.jfif, truncated }
}

/** Walks the segments up to the end marker, or to where the bytes end. */
const readSegments = (reading: Reading): void => {
  const { bytes } = reading
  for (let at = 2; ; ) {
    while (at < bytes.length && bytes[at] !== 0xff) at++
    while (at < bytes.length && bytes[at] === 0xff) at++
    if (at >= bytes.length) return
    const marker = bytes[at++]!
    if (marker === EOI) return
    if (isStandalone(marker)) continue
    const length = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
    if (length < 2 || at + length > bytes.length) return
    const data = bytes.subarray(at + 2, at + length)
    at += length
    if (isFrameMarker(marker)) openFrame(reading, marker, data)
    else if (marker === SOS) at = readScanAt(reading, data, at)
    else SEGMENT_READERS[marker]?.(reading, data)
  }
}

const SEGMENT_READERS: Record<number, (reading: Reading, data: Uint8Array) => void> = {
  [DQT]: (reading, data) => {
    for (const { id, quantTable } of readQuantTables(data)) reading.quantTable[id] = quantTable
  },
  [DHT]: ({ kernel, tables }, data) => {
    for (const { kind, id, counts, symbols } of readHuffmanTables(data)) {
      const inbox = bytesAt(kernel, kernel.tableInbox(), 272)
      inbox.set(counts)
      inbox.set(symbols, 16)
      if (kernel.setTable(kind, id)) tables.add(kind * 4 + id)
      else tables.delete(kind * 4 + id)
    }
  },
  [DRI]: (reading, data) => {
    if (data.length >= 2) reading.interval = (data[0]! << 8) | data[1]!
  },
  [DAC]: () => {
    throw new JpegRefusal('arithmetic')
  },
  [DHP]: () => {
    throw new JpegRefusal('hierarchical')
  },
  [APP0]: (reading, data) => {
    if (latin(data, 4) === 'JFIF') reading.jfif = true
  },
  [APP14]: (reading, data) => {
    if (data.length >= 12 && latin(data, 5) === 'Adobe') reading.adobe = data[11]!
  },
}

const latin = (data: Uint8Array, length: number): string => String.fromCharCode(...data.subarray(0, length))

const openFrame = (reading: Reading, marker: number, data: Uint8Array): void => {
  if (reading.frame) throw new JpegRefusal('bad-header')
  const header = readFrameHeader(marker, data)
  if (header.width * header.height > LIMITS.pixels) throw new JpegRefusal('too-large')
  const frame = layOut(header.width, header.height, header.parts)
  for (const component of frame.components) {
    const size = coefficientBytes(component)
    try {
      component.coefs = allocate(reading.kernel, size)
    } catch {
      throw new JpegRefusal('too-large')
    }
    reading.kernel.clear(component.coefs, size)
  }
  describeFrame(reading.kernel, frame)
  reading.header = header
  reading.frame = frame
  reading.known = header.parts.map(() => new Array<number | undefined>(64).fill(undefined))
}

/** Reads the scan whose data begins at `at`; gives where the next marker stands. */
const readScanAt = (reading: Reading, data: Uint8Array, at: number): number => {
  const { frame, header, kernel, start, bytes } = reading
  if (!frame || !header) throw new JpegRefusal('bad-header')
  const scan = readScanHeader(header, data)
  if (!scan || !usable(reading, scan)) {
    reading.damaged = true
    return at
  }
  charge(reading, scan)
  const kind = kindOf(header, scan)
  describeScan(kernel, frame, scan)
  const { ss, se, al } = scan
  const range = { first: start + at, last: start + bytes.length, interval: reading.interval }
  const faults = kernel.readScan({ ...range, kind, ss, se, al })
  if (faults > 0) reading.damaged = true
  return (kernel.scanEnd() >>> 0) - start
}

/** Sequential 0, DC first 1, DC refining 2, AC first 3, AC refining 4. */
const kindOf = ({ progressive }: FrameHeader, { ss, ah }: ScanHeader): number =>
  progressive ? (ss === 0 ? 1 : 3) + (ah > 0 ? 1 : 0) : 0

const describeScan = (kernel: Kernel, frame: Frame, scan: ScanHeader): void => {
  const only = scan.parts.length === 1 ? frame.components[scan.parts[0]!.component]! : undefined
  kernel.scan(scan.parts.length, only?.widthInBlocks ?? frame.mcusWide, only?.heightInBlocks ?? frame.mcusHigh)
  scan.parts.forEach((part, i) => {
    kernel.scanComponent(i, part.component, part.dc, part.ac)
  })
}

/** Whether every table the scan needs is there; notes the quantisation steps of components met for the first time. */
const usable = (reading: Reading, scan: ScanHeader): boolean => {
  const { frame, header, quantTable, tables, known } = reading
  const dc = scan.ss === 0 && scan.ah === 0
  const ac = scan.se > 0
  for (const part of scan.parts) {
    const component = frame!.components[part.component]!
    component.quantTable ??= quantTable[header!.parts[part.component]!.table]
    if (!component.quantTable || (dc && !tables.has(part.dc)) || (ac && !tables.has(4 + part.ac))) return false
    const bits = known[part.component]!
    for (let k = scan.ss; k <= scan.se; k++) bits[k] = scan.al
  }
  return true
}

/** Stops images that are little data and endless work: many scans over a large frame. */
const charge = (reading: Reading, scan: ScanHeader): void => {
  const size = (list: { stride: number; rows: number }[]): number => list.reduce((sum, c) => sum + c.stride * c.rows, 0)
  const { components } = reading.frame!
  reading.work += size(scan.parts.map((part) => components[part.component]!))
  if (reading.work > LIMITS.scansPerBlock * size(components)) throw new JpegRefusal('too-much-work')
}
