import { type Kernel, wordsAt } from '../kernel.ts'
import type { Frame, Scan } from './frame.ts'
import { codeCost } from './huffman.ts'

/** The symbols of one table slot of the kernel: 0..3 DC, 4..7 AC. */
export interface SlotCounts {
  readonly slot: number
  readonly counts: Uint32Array
}

/** A scan with the counts its tables are made for and the bytes it will take, header and tables included. */
export interface SizedScan {
  readonly scan: Scan
  readonly tables: SlotCounts[]
  readonly bytes: number
}

/** In a sequential scan component 0 uses the first pair of tables, the others the second. */
export const sequentialSlot = (component: number): number => (component === 0 ? 0 : 1)

/** Runs a scan in the kernel, which counts or writes as was chosen before. */
export const runScan = (kernel: Kernel, frame: Frame, scan: Scan): void => {
  const { components, ss, se, ah, al } = scan
  const sequential = ss === 0 && se === 63
  if (ss > 0) {
    if (ah > 0) kernel.writeAcRefine(components[0]!, ss, se, al)
    else kernel.writeAcFirst(components[0]!, ss, se, al)
    return
  }
  const only = components.length === 1 ? frame.components[components[0]!]! : undefined
  kernel.scan(components.length, only?.widthInBlocks ?? frame.mcusWide, only?.heightInBlocks ?? frame.mcusHigh)
  components.forEach((c, i) => {
    const slot = sequentialSlot(c)
    kernel.scanComponent(i, c, slot, slot)
  })
  if (sequential) kernel.writeSequential()
  else kernel.writeDc(al)
}

/** Raw bits behind a symbol of DC: its size. */
const DC_BITS = Uint8Array.from({ length: 256 }, (_, symbol) => symbol)
/** Of AC: its size or that of a run of ends. */
const AC_BITS = Uint8Array.from({ length: 256 }, (_, symbol) => symbol & 15 || (symbol < 0xf0 ? symbol >> 4 : 0))

/** All raw bits behind the symbols of a slot. */
const rawBits = (slot: number, counts: Uint32Array): number => {
  const each = slot < 4 ? DC_BITS : AC_BITS
  let bits = 0
  for (let s = 0; s < 256; s++) bits += counts[s]! * each[s]!
  return bits
}

/** Size of a scan with tables made for these counts. `corrections` are the raw bits of refinement, which no symbol counts. */
export const sizeOfCounts = (scan: Scan, all: SlotCounts[], corrections = 0): SizedScan => {
  const tables: SlotCounts[] = []
  let bits = corrections
  let bytes = 8 + 2 * scan.components.length
  for (const table of all) {
    const cost = codeCost(table.counts)
    // An unused DC or AC table is not written.
    if (cost.bytes === 0) continue
    tables.push(table)
    bytes += cost.bytes
    bits += cost.bits + rawBits(table.slot, table.counts)
  }
  return { scan, tables, bytes: bytes + Math.ceil(bits / 8) }
}

/** Counts what an AC scan takes by walking through it: for bands that no survey has. */
export const sizeOfBand = (kernel: Kernel, frame: Frame, scan: Scan): SizedScan => {
  kernel.resetCounts()
  runScan(kernel, frame, scan)
  const counts = wordsAt(kernel, kernel.histogramAt(4), 256).slice()
  return sizeOfCounts(scan, [{ slot: 4, counts }], kernel.extraBits() - rawBits(4, counts))
}
