import { type Kernel, wordsAt } from '../kernel.ts'
import type { TransformedImage } from '../quantiser/transformed-image.ts'

/** Files came out at 0.96 to 1.1 of what is estimated on photographs, at 0.96 or more on drawings (bands and headers not counted). */
const CHEAPEST = 0.96
/** Natural logarithms of bytes by point of score, at the least and at the most: 0.035 to 0.06 was measured. */
const FLATTEST = 0.02
const STEEPEST = 0.08
/** The least bytes that may reach the goal, when an attempt `gap` points below it (above it: negative) was estimated so. */
export const leastBytes = (rateEstimate: number, gap: number): number =>
  rateEstimate * CHEAPEST * Math.exp(gap * (gap > 0 ? FLATTEST : STEEPEST))

/** The natural logarithm of bytes by point of score where trials do not tell it. */
const USUAL_RISE = 0.035
const STEEPEST_BELIEVED = 0.06
/** Points by which trials must differ to tell how bytes rise. */
const TELLING = 0.3

/** What an attempt took and how it scored by SSIMULACRA. */
interface Attempted {
  readonly rateEstimate: number
  readonly similarity: number
}

/** About how many points of score that part of the bytes buys, as bytes rose between the last trial and the one before that differs. */
export const pointsWorth = (part: number, trials: readonly Attempted[]): number => {
  const last = trials.at(-1)
  const other = trials.findLast(({ similarity }) => Math.abs(similarity - last!.similarity) > TELLING)
  if (last === undefined || other === undefined) return part / USUAL_RISE
  const rise = Math.log(last.rateEstimate / other.rateEstimate) / (last.similarity - other.similarity)
  return part / Math.max(FLATTEST, Math.min(STEEPEST_BELIEVED, rise))
}

/** About how many bytes the file of the last attempt will take: what an ideal code needs for the symbols counted in quantising. */
export const estimateRate = ({ kernel, frame }: Pick<TransformedImage, 'kernel' | 'frame'>): number => {
  const bits = frame.components.reduce((sum, _, c) => sum + dcBits(kernel, c) + acBits(kernel, 4 + c), 0)
  return bits / 8
}

const dcBits = (kernel: Kernel, slot: number): number => bitsOf(kernel, slot, (symbol) => symbol)

/** A symbol is run << 4 | size; without a size it ends a run of blocks, whose length follows. */
const acBits = (kernel: Kernel, slot: number): number =>
  bitsOf(kernel, slot, (symbol) => (symbol & 15 || symbol === 0xf0 ? symbol & 15 : symbol >> 4))

const bitsOf = (kernel: Kernel, slot: number, rawBits: (symbol: number) => number): number => {
  const counts = wordsAt(kernel, kernel.histogramAt(slot), 256)
  const all = counts.reduce((sum, count) => sum + count, 0)
  return counts.reduce(
    (sum, count, symbol) => (count > 0 ? sum + count * (Math.log2(all / count) + rawBits(symbol)) : sum),
    0,
  )
}
