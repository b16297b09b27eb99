import { type Kernel, wordsAt } from '../kernel.ts'
import type { TransformedImage } from './transformed-image.ts'

/** Costs of symbols in bits, raw bits included: DC by size (16), AC by run << 4 | size (256). */
export interface Rates {
  readonly dc: Float32Array
  readonly ac: Float32Array
}

/** Cost in bits of a symbol that was not counted. */
const UNSEEN_BITS = 16

const informations = (counts: Float64Array): Float64Array => {
  let all = 0
  for (let s = 0; s < counts.length; s++) all += counts[s]!
  const bits = new Float64Array(counts.length).fill(UNSEEN_BITS)
  for (let s = 0; s < counts.length; s++)
    if (counts[s]! > 0) bits[s] = Math.min(UNSEEN_BITS, Math.log2(all / counts[s]!))
  return bits
}

/** Costs of the symbols that the kernel counted while quantising: one set of rates for luma, one for chroma. */
export const measureRates = ({ kernel, frame }: TransformedImage): Rates[] => {
  const groups = frame.components.length === 1 ? [[0]] : [[0], [1, 2]]
  return groups.map((components) => {
    const ac = countsOf(
      kernel,
      components.map((c) => 4 + c),
    )
    const blocks = components.reduce(
      (sum, c) => sum + frame.components[c]!.widthInBlocks * frame.components[c]!.heightInBlocks,
      0,
    )
    return { dc: dcRates(countsOf(kernel, components)), ac: acRates(ac, blocks) }
  })
}

const countsOf = (kernel: Kernel, slots: number[]): Float64Array => {
  const sums = new Float64Array(256)
  for (const slot of slots) {
    const counts = wordsAt(kernel, kernel.histogramAt(slot), 256)
    for (let s = 0; s < 256; s++) sums[s]! += counts[s]!
  }
  return sums
}

const dcRates = (counts: Float64Array): Float32Array =>
  Float32Array.from(informations(counts).subarray(0, 16), (bits, size) => bits + size)

/** The end of a block costs its share of all runs of ends: their symbols and raw bits over the blocks that have one. */
const acRates = (counts: Float64Array, blocks: number): Float32Array => {
  const bits = informations(counts)
  let ends = 0
  for (let s = 0; s < 0xf0; s += 16) ends += counts[s]! * (bits[s]! + (s >> 4))
  const rates = new Float32Array(256)
  for (let s = 0; s < 256; s++) rates[s] = bits[s]! + (s & 15)
  rates[0] = ends / Math.max(1, blocks)
  return rates
}
