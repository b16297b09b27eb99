import { allocate, bytesAt, KERNEL_BYTES, type Kernel, wordsAt } from '../kernel.ts'
import type { Frame, Scan } from './frame.ts'

/** Counts of a band's symbols, and of its correction bits, which no symbol counts. */
export interface BandCounts {
  readonly counts: Uint32Array
  readonly corrections: number
}

/** Counts of one component. */
export interface ScanStatistics {
  /** DC in a scan of its own, and interleaved with others in the frame's MCUs. */
  readonly dc: { alone: Uint32Array; interleaved: Uint32Array }
  /** Blocks whose last coefficient is zero. */
  readonly blocksWithEob: number
  /** The band of an AC scan of this component; undefined where it neither begins at 1 nor ends at 63, or ends at no cut. */
  band(scan: Scan): BandCounts | undefined
}

/** Numbers of dropped bits that the kernel can look at. */
const MAX_LOW_BITS = 4

/** The inputs of the counts of a component. `openPage` returns zeroed histograms. */
interface Workspace {
  readonly kernel: Kernel
  readonly frame: Frame
  readonly cuts: readonly number[]
  openPage(): Uint32Array
}

/** How the bands of a component are counted. */
export interface ScanCuts {
  /** Where bands may be split, ascending, at most 15. */
  readonly cuts: readonly number[]
  /** Where each component's AC symbols lie in the kernel's memory (u32[256]), if they are known already. */
  readonly counted?: readonly number[] | undefined
}

/** Arrays of their own would each burden the collector: sixty-four share one. */
const openPages = (): (() => Uint32Array) => {
  let pages = new Uint32Array(0)
  let at = 0
  return () => {
    if (at === pages.length) {
      pages = new Uint32Array(64 * 256)
      at = 0
    }
    at += 256
    return pages.subarray(at - 256, at)
  }
}

/**
 * Counts what scans of component `c` would hold, for any split of its band at one of `cuts`; a band is counted when it is first asked for. The caller
 * releases the memory of the kernel (34 bytes a block) afterwards.
 */
export const measureScan = (
  kernel: Kernel,
  frame: Frame,
  c: number,
  { cuts, counted = [] }: ScanCuts,
): ScanStatistics => {
  const places = allocate(kernel, 16)
  bytesAt(kernel, places, cuts.length).set(cuts)
  const workspace = { kernel, frame, cuts, openPage: openPages() }
  const { widthInBlocks, heightInBlocks } = frame.components[c]!
  const masks = allocate(kernel, widthInBlocks * heightInBlocks * 8 * MAX_LOW_BITS)
  const dcs = allocate(kernel, widthInBlocks * heightInBlocks * 2)
  const blocksWithEob = kernel.surveyBlocks(c, MAX_LOW_BITS, masks, dcs)
  const maskAt = (al: number): number => masks + widthInBlocks * heightInBlocks * 8 * al
  const looks = new Map<number, number>()
  const look = (ah: number, al: number): number => {
    const known = looks.get(ah * 16 + al)
    if (known !== undefined) return known
    const out = allocate(kernel, lookBytes(cuts.length))
    if (ah > 0) kernel.surveyRefining(c, maskAt(al), maskAt(ah), places, cuts.length, out)
    else {
      const known = al === 0 ? (counted[c] ?? 0) : 0
      kernel.surveyFirst({ c, al, masks: maskAt(al), at: places, n: cuts.length, out, counted: known })
    }
    looks.set(ah * 16 + al, out)
    return out
  }
  return {
    blocksWithEob,
    dc: surveyDc(workspace, c, dcs),
    band: (scan) => {
      const pieces = scan.ah < MAX_LOW_BITS && scan.al < MAX_LOW_BITS ? piecesOf(cuts, scan) : undefined
      return pieces && bandOf(workspace, look(scan.ah, scan.al), pieces)
    },
  }
}

const surveyDc = ({ kernel, frame, openPage }: Workspace, c: number, dcs: number): ScanStatistics['dc'] => {
  const { widthInBlocks, heightInBlocks, h, v } = frame.components[c]!
  const before = kernel.mark()
  const out = allocate(kernel, KERNEL_BYTES.histogram)
  const count = (mcusWide: number, mcusHigh: number, across: number, down: number): Uint32Array => {
    kernel.surveyDc({ c, dcs, wide: mcusWide, high: mcusHigh, h: across, v: down, out })
    const counts = openPage()
    counts.set(wordsAt(kernel, out, 256))
    return counts
  }
  const alone = count(widthInBlocks, heightInBlocks, 1, 1)
  const asAlone = h * v === 1 && frame.mcusWide === widthInBlocks && frame.mcusHigh === heightInBlocks
  const interleaved = asAlone ? alone : count(frame.mcusWide, frame.mcusHigh, h, v)
  kernel.release(before)
  return { alone, interleaved }
}

/** Bytes that the kernel writes for one band with `n` cuts; see kernels/jpeg/scan-statistics.ts. */
const lookBytes = (n: number): number => (2 * n + 1) * (KERNEL_BYTES.histogram + 64) + (n + 1) * 8

/** The pieces between cuts that a band is made of, and its place among the bands. */
interface Pieces {
  readonly first: number
  readonly last: number
  readonly band: number
}

const piecesOf = (cuts: readonly number[], { ss, se }: Scan): Pieces | undefined => {
  const n = cuts.length
  if (ss === 1 && se === 63) return { first: 0, last: n, band: 2 * n }
  const [first, last] = [cuts.indexOf(ss - 1), cuts.indexOf(se)]
  if (ss === 1 && last >= 0) return { first: 0, last, band: last }
  return se === 63 && first >= 0 ? { first: first + 1, last: n, band: n + first } : undefined
}

/** Sums what a band is made of; counts wrap as the kernel's do, so what is to be taken away is added. */
const bandOf = ({ kernel, cuts, openPage }: Workspace, look: number, { first, last, band }: Pieces): BandCounts => {
  const n = cuts.length
  const words = wordsAt(kernel, look, lookBytes(n) / 4)
  const counts = openPage()
  const addPage = (index: number): void => {
    const at = index * 256
    for (let s = 0; s < 256; s++) counts[s]! += words[at + s]!
  }
  const ends = (2 * n + 1) * 256
  const bits = ends + (2 * n + 1) * 16
  let corrections = 0
  for (let i = first; i <= last; i++) {
    addPage(i)
    // The lower half of 64 bits: no image has 2^32 bits of correction.
    corrections += words[bits + 2 * i]!
  }
  if (first > 0) addPage(n + first)
  for (let size = 0; size < 15; size++) counts[size << 4]! += words[ends + band * 16 + size]!
  return { counts, corrections }
}
