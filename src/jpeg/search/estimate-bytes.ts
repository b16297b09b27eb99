import type { Curve } from '../../search/curve.ts'
import { type Kernel, wordsAt } from '../kernel.ts'
import type { TransformedImage } from '../quantiser/transformed-image.ts'

/** Files take 0.96 to 1.1 of the estimate on photographs, 0.96 or more on drawings, headers not counted. */
const MIN_OF_ESTIMATE = 0.96
/** Limits of the rise of the natural logarithm of bytes per point of score: quartiles of 26 photographs were 0.027 to 0.079. */
const RISE = { min: 0.02, max: 0.08 } as const
/** Median rise by target, of neighbouring trials of these photographs (lab/search.md). */
export const RISE_BY_TARGET: Curve = [
  [55, 0.031],
  [70, 0.04],
  [86, 0.065],
]

/** Optimistic bytes at a margin of 0, from the estimate of one trial and its margin in points. */
export const fewestBytes = (estimate: number, margin: number): number =>
  estimate * MIN_OF_ESTIMATE * Math.exp(-margin * (margin < 0 ? RISE.min : RISE.max))

/** Estimated bytes of the encoder's last trial: what an ideal entropy code needs for the symbols that quantising counted. */
export const estimateBytes = ({ kernel, frame }: Pick<TransformedImage, 'kernel' | 'frame'>): number => {
  const bits = frame.components.reduce((sum, _, c) => sum + dcBits(kernel, c) + acBits(kernel, 4 + c), 0)
  return bits / 8
}

const dcBits = (kernel: Kernel, slot: number): number => bitsOf(kernel, slot, (symbol) => symbol)

/** A symbol is run << 4 | size. A symbol without size ends a run of blocks and is followed by the run's length. */
const acBits = (kernel: Kernel, slot: number): number =>
  bitsOf(kernel, slot, (symbol) => (symbol & 15 || symbol === 0xf0 ? symbol & 15 : symbol >> 4))

const bitsOf = (kernel: Kernel, slot: number, rawBits: (symbol: number) => number): number => {
  const counts = wordsAt(kernel, kernel.histogramAt(slot), 256)
  let all = 0
  for (let symbol = 0; symbol < 256; symbol++) all += counts[symbol]!
  let bits = 0
  for (let symbol = 0; symbol < 256; symbol++) {
    const count = counts[symbol]!
    if (count > 0) bits += count * (Math.log2(all / count) + rawBits(symbol))
  }
  return bits
}
