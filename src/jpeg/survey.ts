import type { Component, Frame, Scan } from './frame.ts'
import { allocate, bytesAt, type Kernel, wordsAt } from './kernel.ts'

/** A band's symbols, and how many bits beside them no symbol tells of. */
export type BandCounts = { counts: Uint32Array; corrections: number }

/** What was counted of one component. */
export type Survey = {
  /** DC in a scan of its own, and woven with others in the frame's MCUs. */
  dc: { alone: Uint32Array; woven: Uint32Array }
  /** Blocks whose last coefficient is zero. */
  unfinished: number
  /** The band of an AC scan of this component; undefined where it neither begins at 1 nor ends at 63, or ends at no cut. */
  band(scan: Scan): BandCounts | undefined
}

/** Bytes of a histogram. */
const page = 1024
/** Numbers of dropped bits that the kernel can look at. */
const mostBits = 4

/**
 * Counts what scans of each component would hold, for any split of its band at one of `cuts` (ascending, at most 15); a band is
 * counted when it is first asked for. The kernel's memory is to be released by the caller when all was asked.
 */
export const surveyComponents = (kernel: Kernel, frame: Frame, cuts: readonly number[]): Survey[] => {
  const places = allocate(kernel, 16)
  bytesAt(kernel, places, cuts.length).set(cuts)
  const bands = 2 * cuts.length + 1
  const out = allocate(kernel, (bands + 1) * page + bands * 64 + 8 * cuts.length + 64)
  return frame.components.map((component, c) => {
    const { wide, high } = component
    const masks = allocate(kernel, wide * high * 8 * mostBits)
    const dcs = allocate(kernel, wide * high * 2)
    const unfinished = kernel.surveyBlocks(c, mostBits, masks, dcs)
    const maskAt = (al: number): number => masks + wide * high * 8 * al
    const looks = new Map<number, Look>()
    const look = (ah: number, al: number): Look => {
      const known = looks.get(ah * 16 + al)
      if (known) return known
      if (ah > 0) kernel.surveyRefining(c, maskAt(al), maskAt(ah), places, cuts.length, out)
      else kernel.surveyFirst(c, al, maskAt(al), places, cuts.length, out)
      const fresh = readLook(kernel, out, cuts)
      looks.set(ah * 16 + al, fresh)
      return fresh
    }
    return {
      unfinished,
      dc: surveyDc(kernel, frame, { c, component, dcs, out }),
      band: ({ ss, se, ah, al }) => (ah < mostBits && al < mostBits ? bandOf(look(ah, al), cuts, ss, se) : undefined),
    }
  })
}

type Where = { c: number; component: Component; dcs: number; out: number }

const surveyDc = (kernel: Kernel, frame: Frame, { c, component, dcs, out }: Where): Survey['dc'] => {
  const { wide, high, h, v } = component
  kernel.surveyDc(c, dcs, wide, high, 1, 1, out)
  const alone = wordsAt(kernel, out, 256).slice()
  if (h * v === 1 && frame.mcusWide === wide && frame.mcusHigh === high) return { alone, woven: alone }
  kernel.surveyDc(c, dcs, frame.mcusWide, frame.mcusHigh, h, v, out)
  return { alone, woven: wordsAt(kernel, out, 256).slice() }
}

/** What the kernel gives of one band 1..63 with its cuts; see kernels/jpeg/survey.ts. */
type Look = { pieces: Uint32Array[]; shorter: Uint32Array[]; ends: Uint32Array[]; corrections: number[] }

const readLook = (kernel: Kernel, out: number, cuts: readonly number[]): Look => {
  const n = cuts.length
  const copy = (at: number, length: number): Uint32Array => wordsAt(kernel, at, length).slice()
  const pages = (at: number, count: number): Uint32Array[] =>
    Array.from({ length: count }, (_, i) => copy(at + i * page, 256))
  const runs = out + (2 * n + 1) * page
  const bits = runs + (2 * n + 1) * 64
  return {
    pieces: pages(out, n + 1),
    shorter: pages(out + (n + 1) * page, n),
    ends: Array.from({ length: 2 * n + 1 }, (_, i) => copy(runs + i * 64, 16)),
    // Lower halves of 64-bit sums: no image has 2^32 bits of correction.
    corrections: Array.from({ length: n + 1 }, (_, i) => wordsAt(kernel, bits + i * 8, 1)[0]!),
  }
}

/** Sums the pieces a band is made of; counts wrap as the kernel's do, so what is to be taken away is added. */
const bandOf = (look: Look, cuts: readonly number[], ss: number, se: number): BandCounts | undefined => {
  const n = cuts.length
  const first = ss === 1 ? 0 : cuts.indexOf(ss - 1) + 1
  const last = se === 63 ? n : cuts.indexOf(se)
  if ((ss > 1 && (first === 0 || se < 63)) || last < 0) return undefined
  const counts = new Uint32Array(256)
  let corrections = 0
  for (let i = first; i <= last; i++) {
    addTo(counts, look.pieces[i]!)
    corrections += look.corrections[i]!
  }
  if (first > 0) addTo(counts, look.shorter[first - 1]!)
  const band = ss > 1 ? n + first - 1 : se < 63 ? last : 2 * n
  look.ends[band]!.forEach((count, size) => {
    if (size < 15) counts[size << 4]! += count
  })
  return { counts, corrections }
}

const addTo = (sums: Uint32Array, counts: Uint32Array): void => {
  for (let s = 0; s < 256; s++) sums[s]! += counts[s]!
}
