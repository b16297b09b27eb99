import type { Frame, Scan } from './frame.ts'
import { type CodeLengths, codedBits, codeLengths, segmentBytes } from './huffman.ts'
import { type Kernel, wordsAt } from './kernel.ts'

/** A scan with its best tables and the bytes it will take, header and tables included. */
export type PricedScan = { scan: Scan; tables: { slot: number; lengths: CodeLengths }[]; bytes: number }

/** Table slots of the kernel: 0..3 DC, 4..7 AC. In a sequential scan component 0 uses the first pair, the others the second. */
const sequentialSlot = (component: number): number => (component === 0 ? 0 : 1)

/** Tells the kernel which scan is meant and runs it, counting or writing as was asked before. */
export const runScan = (kernel: Kernel, frame: Frame, scan: Scan): void => {
  const { components, ss, se, ah, al } = scan
  const sequential = ss === 0 && se === 63
  if (ss > 0) {
    if (ah > 0) kernel.writeAcRefine(components[0]!, ss, se, al)
    else kernel.writeAcFirst(components[0]!, ss, se, al)
    return
  }
  const only = components.length === 1 ? frame.components[components[0]!]! : undefined
  kernel.scan(components.length, only?.wide ?? frame.mcusWide, only?.high ?? frame.mcusHigh)
  components.forEach((c, i) => {
    const slot = sequentialSlot(c)
    kernel.scanComponent(i, c, slot, slot)
  })
  if (sequential) kernel.writeSequential()
  else kernel.writeDc(al)
}

/** Counts what a scan takes with tables made for it. */
export const priceScan = (kernel: Kernel, frame: Frame, scan: Scan): PricedScan => {
  kernel.resetCounts()
  runScan(kernel, frame, scan)
  const tables: PricedScan['tables'] = []
  let bits = kernel.extraBits()
  let bytes = 8 + 2 * scan.components.length
  for (const slot of slotsOf(scan)) {
    const counts = wordsAt(kernel, kernel.histogramAt(slot), 256)
    const lengths = codeLengths(counts)
    bits += codedBits(counts, lengths)
    // An unused DC or AC table is not written.
    if (lengths.some((length) => length > 0)) {
      tables.push({ slot, lengths })
      bytes += segmentBytes(lengths)
    }
  }
  return { scan, tables, bytes: bytes + Math.ceil(bits / 8) }
}

/** The table slots a scan uses. */
const slotsOf = ({ components, ss, se }: Scan): number[] => {
  if (ss > 0) return [4]
  const slots = [...new Set(components.map(sequentialSlot))]
  return se === 0 ? slots : slots.flatMap((slot) => [slot, 4 + slot])
}
