import { JPEG_MARKER, writeJpegSegment } from '../../containers/jpeg.ts'
import { allocate, bytesAt, type Kernel, wordsAt } from '../kernel.ts'
import type { Frame } from './frame.ts'
import { codeLengths, fillCodes, tableBytes } from './huffman.ts'
import { runScan, type SizedScan } from './scan-size.ts'

const { SOF0, SOF1, SOF2, DHT, SOI, EOI, SOS, DQT } = JPEG_MARKER

/** A file's tables of steps: those that are alike are written once, so components name them by place. */
const uniqueTables = (frame: Frame): { tables: Uint16Array[]; of: number[] } => {
  const tables: Uint16Array[] = []
  const of = frame.components.map(({ quantTable }) => {
    const same = tables.findIndex((table) => table.every((step, k) => step === quantTable![k]))
    return same >= 0 ? same : tables.push(quantTable!) - 1
  })
  return { tables, of }
}

const quantisation = (tables: Uint16Array[]): Uint8Array => {
  const parts = tables.map((table, i) =>
    table.some((step) => step > 255)
      ? [0x10 | i, ...[...table].flatMap((step) => [step >> 8, step & 255])]
      : [i, ...table],
  )
  return writeJpegSegment(DQT, parts.flat())
}

const frameHeader = (frame: Frame, of: number[], scans: SizedScan[], sixteenBit: boolean): Uint8Array => {
  const sequential = scans[0]!.scan.se === 63
  const marker = sequential ? (sixteenBit ? SOF1 : SOF0) : SOF2
  const { width, height, components } = frame
  const parts = components.flatMap(({ id, h, v }, i) => [id, (h << 4) | v, of[i]!])
  return writeJpegSegment(marker, [8, height >> 8, height & 255, width >> 8, width & 255, components.length, ...parts])
}

const scanSegments = (kernel: Kernel, frame: Frame, sized: SizedScan): Uint8Array[] => {
  const { scan, tables } = sized
  const huffman = tables.map(({ slot, counts }) => {
    const lengths = codeLengths(counts)
    fillCodes(lengths, wordsAt(kernel, kernel.codesAt(slot), 256))
    return [slot < 4 ? slot : 0x10 | (scan.ss > 0 ? 0 : slot - 4), ...tableBytes(lengths)]
  })
  const parts = scan.components.flatMap((c) => [frame.components[c]!.id, tablesNamed(scan.ss, scan.se, c)])
  const header = writeJpegSegment(SOS, [scan.components.length, ...parts, scan.ss, scan.se, (scan.ah << 4) | scan.al])
  // Stuffing can at worst double the bytes counted.
  const before = kernel.mark()
  const at = allocate(kernel, sized.bytes * 2 + 64)
  kernel.openOutput(at)
  runScan(kernel, frame, scan)
  const data = bytesAt(kernel, at, (kernel.outputEnd() >>> 0) - at).slice()
  kernel.release(before)
  return [...(huffman.length > 0 ? [writeJpegSegment(DHT, huffman.flat())] : []), header, data]
}

/** The table selectors of a component in a scan header; see `sequentialSlot` in scan-size.ts. */
const tablesNamed = (ss: number, se: number, component: number): number => {
  if (ss > 0 || component === 0) return 0
  return se === 0 ? 0x10 : 0x11
}

/** Writes the frame's coefficients as a JPEG file: `heads` (metadata segments) first, then the scans in their order. */
export const writeJpeg = (kernel: Kernel, frame: Frame, scans: SizedScan[], heads: Uint8Array[]): Uint8Array => {
  const { tables, of } = uniqueTables(frame)
  const sixteenBit = tables.some((table) => table.some((step) => step > 255))
  const pieces = [
    Uint8Array.of(0xff, SOI),
    ...heads,
    quantisation(tables),
    frameHeader(frame, of, scans, sixteenBit),
    ...scans.flatMap((sized) => scanSegments(kernel, frame, sized)),
    Uint8Array.of(0xff, EOI),
  ]
  return join(pieces)
}

const join = (pieces: Uint8Array[]): Uint8Array => {
  const out = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    out.set(piece, at)
    at += piece.length
  }
  return out
}
