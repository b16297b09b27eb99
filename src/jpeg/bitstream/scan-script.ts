import type { Kernel } from '../kernel.ts'
import type { Frame, Scan } from './frame.ts'
import { type SizedScan, type SlotCounts, sequentialSlot, sizeOfBand, sizeOfCounts } from './scan-size.ts'
import { measureScan, type ScanStatistics } from './scan-statistics.ts'

/** How hard to search: `thorough` for storing a file for good, `fast` within an encode's time. */
export type ScanEffort = 'thorough' | 'fast'

type SizeOf = (scan: Scan) => SizedScan

/**
 * `heldBack`: how many low bits may go into scans of their own, each further one where the last left at most `after` of the bytes; `splits`: where a
 * band may be cut; `pieces`: how often.
 */
const LIMITS = {
  thorough: { heldBack: 3, after: 1.02, splits: [1, 2, 3, 5, 8, 12, 18, 27], pieces: 4 },
  fast: { heldBack: 2, after: 0.993, splits: [1, 2], pieces: 3 },
}

const total = (scans: SizedScan[]): number => scans.reduce((sum, sized) => sum + sized.bytes, 0)
const cheapest = (choices: SizedScan[][]): SizedScan[] =>
  choices.reduce((best, choice) => (total(choice) < total(best) ? choice : best))

/**
 * The smallest order of scans for the coefficients at hand: progressive, or one sequential set where that is smaller. `counted`: see `measureScan`.
 */
export const bestScript = (
  kernel: Kernel,
  frame: Frame,
  effort: ScanEffort,
  counted?: readonly number[],
): SizedScan[] => {
  const components = frame.components.map((_, c): ComponentScans => {
    // Of one component at a time: 48 megapixels have masks of 77 MB at 4:4:4.
    const before = kernel.mark()
    const { dc, blocksWithEob, band } = measureScan(kernel, frame, c, { cuts: LIMITS[effort].splits, counted })
    const sizeOf: SizeOf = (scan) => {
      const found = band(scan)
      return found
        ? sizeOfCounts(scan, [{ slot: 4, counts: found.counts }], found.corrections)
        : sizeOfBand(kernel, frame, scan)
    }
    const whole = band({ components: [c], ss: 1, se: 63, ah: 0, al: 0 })!.counts
    const measured = { dc, blocksWithEob, whole, ac: acScans(c, effort, sizeOf) }
    kernel.release(before)
    return measured
  })
  const progressive = [...dcScans(frame, components), ...components.flatMap(({ ac }) => ac)]
  return cheapest([progressive, ...sequentialScans(frame, components)])
}

/** Counts of one component, and its progressive scans of AC. */
interface ComponentScans extends Pick<ScanStatistics, 'dc' | 'blocksWithEob'> {
  /** Symbols of the scan of all AC coefficients. */
  readonly whole: Uint32Array
  readonly ac: readonly SizedScan[]
}

/** An MCU of several components holds at most ten blocks (T.81 B.2.3); damaged files may claim more. */
const fitsOneScan = (frame: Frame, components: number[]): boolean =>
  components.reduce((sum, c) => sum + frame.components[c]!.h * frame.components[c]!.v, 0) <= 10

/** Together, each alone, or luma apart from chroma: whatever the frame allows. */
const groupings = (frame: Frame): number[][][] => {
  const all = frame.components.map((_, i) => i)
  const choices = [all.map((c) => [c])]
  if (all.length > 1 && fitsOneScan(frame, all)) choices.push([all])
  if (all.length === 3 && fitsOneScan(frame, [1, 2])) choices.push([[0], [1, 2]])
  return choices
}

const dcScans = (frame: Frame, statistics: readonly ComponentScans[]): SizedScan[] => {
  const dc = (components: number[]): SizedScan =>
    sizeOfCounts({ components, ss: 0, se: 0, ah: 0, al: 0 }, dcCounts(statistics, components))
  return cheapest(groupings(frame).map((scans) => scans.map(dc)))
}

const dcCounts = (statistics: readonly ComponentScans[], components: number[]): SlotCounts[] =>
  joined(
    components.map((c) => ({
      slot: sequentialSlot(c),
      counts: statistics[c]!.dc[components.length === 1 ? 'alone' : 'interleaved'],
    })),
  )

/** Sums what shares a slot. */
const joined = (counts: SlotCounts[]): SlotCounts[] =>
  [...new Set(counts.map(({ slot }) => slot))].map((slot) => ({
    slot,
    counts: sumOf(counts.filter((one) => one.slot === slot)),
  }))

const sumOf = (all: readonly SlotCounts[]): Uint32Array => {
  const sums = new Uint32Array(256)
  for (const { counts } of all) for (let s = 0; s < 256; s++) sums[s]! += counts[s]!
  return sums
}

const sequentialScans = (frame: Frame, statistics: readonly ComponentScans[]): SizedScan[][] => {
  const one = (components: number[]): SizedScan => {
    const ac = components.map((c) => ({
      slot: 4 + sequentialSlot(c),
      counts: sequentialCounts(frame, statistics, c, components.length > 1),
    }))
    const tables = [...dcCounts(statistics, components), ...joined(ac)]
    return sizeOfCounts({ components, ss: 0, se: 63, ah: 0, al: 0 }, tables)
  }
  return groupings(frame)
    .filter((scans) => scans.length === 1 || scans.every((components) => components.length === 1))
    .map((scans) => scans.map(one))
}

/** As the whole band's first scan has them, but each block's end for itself; blocks that only fill up an MCU are ends too. */
const sequentialCounts = (
  frame: Frame,
  statistics: readonly ComponentScans[],
  c: number,
  interleaved: boolean,
): Uint32Array => {
  const { widthInBlocks, heightInBlocks, h, v } = frame.components[c]!
  const counts = statistics[c]!.whole.slice()
  for (let s = 0; s < 0xf0; s += 16) counts[s] = 0
  counts[0] =
    statistics[c]!.blocksWithEob +
    (interleaved ? frame.mcusWide * h * frame.mcusHigh * v - widthInBlocks * heightInBlocks : 0)
  return counts
}

/** For one component: how many low bits are held back, and where the bands are cut. */
const acScans = (c: number, effort: ScanEffort, sizeOf: SizeOf): SizedScan[] => {
  const { heldBack, after } = LIMITS[effort]
  const first = (al: number): SizedScan[] => [sizeOf({ components: [c], ss: 1, se: 63, ah: 0, al })]
  const choices = [{ first: first(0), refining: [] as SizedScan[] }]
  for (let al = 1; al <= heldBack; al++) {
    const refining = sizeOf({ components: [c], ss: 1, se: 63, ah: al, al: al - 1 })
    choices.push({ first: first(al), refining: [refining, ...choices[al - 1]!.refining] })
    // Each further bit held back gains less.
    if (cost(choices[al]!) > cost(choices[al - 1]!) * after) break
  }
  return cheapest(
    choices.map((x) => [...cut(x.first, effort, sizeOf), ...x.refining.flatMap((r) => cut([r], effort, sizeOf))]),
  )
}

const cost = (choice: { first: SizedScan[]; refining: SizedScan[] }): number =>
  total(choice.first) + total(choice.refining)

/** Cuts a band where that saves most, and the pieces again, as long as it saves. */
const cut = (pieces: SizedScan[], effort: ScanEffort, sizeOf: SizeOf): SizedScan[] => {
  const { splits, pieces: most } = LIMITS[effort]
  if (pieces.length >= most) return pieces
  const choices = pieces.flatMap((piece, i) =>
    splits
      .filter((s) => s >= piece.scan.ss && s < piece.scan.se)
      .map((s) => [
        ...pieces.slice(0, i),
        sizeOf({ ...piece.scan, se: s }),
        sizeOf({ ...piece.scan, ss: s + 1 }),
        ...pieces.slice(i + 1),
      ]),
  )
  const best = cheapest([pieces, ...choices])
  return best === pieces ? pieces : cut(best, effort, sizeOf)
}
