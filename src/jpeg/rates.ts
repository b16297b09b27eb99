import type { Canvas } from './canvas.ts'
import { wordsAt } from './kernel.ts'

/** What symbols cost in bits, raw bits included: DC by size (16), AC by run << 4 | size (256). */
export type Rates = { dc: Float32Array; ac: Float32Array }

/** What is never seen costs this. */
const unseen = 16

const informations = (counts: Float64Array): Float64Array => {
  const all = counts.reduce((sum, count) => sum + count, 0)
  return counts.map((count) => (count > 0 ? Math.min(unseen, Math.log2(all / count)) : unseen))
}

/** Measures the coefficients now in the canvas: one set of rates for luma, one for chroma. */
export const measureRates = ({ kernel, frame }: Canvas): Rates[] => {
  const groups = frame.components.length === 1 ? [[0]] : [[0], [1, 2]]
  return groups.map((components) => {
    const ac = new Float64Array(256)
    let runBits = 0
    for (const c of components) {
      kernel.resetCounts()
      kernel.writeAcFirst(c, 1, 63, 0)
      wordsAt(kernel, kernel.histogramAt(4), 256).forEach((count, s) => {
        ac[s]! += count
        if ((s & 15) === 0 && s < 0xf0) runBits += count * (s >> 4)
      })
    }
    const dc = new Float64Array(256)
    for (const c of components) {
      kernel.resetCounts()
      const { wide, high } = frame.components[c]!
      kernel.scan(1, wide, high)
      kernel.scanComponent(0, c, 0, 0)
      kernel.writeDc(0)
      wordsAt(kernel, kernel.histogramAt(0), 256).forEach((count, s) => {
        dc[s]! += count
      })
    }
    const blocks = components.reduce((sum, c) => sum + frame.components[c]!.wide * frame.components[c]!.high, 0)
    return { dc: dcRates(dc), ac: acRates(ac, runBits, blocks) }
  })
}

const dcRates = (counts: Float64Array): Float32Array =>
  Float32Array.from(informations(counts).subarray(0, 16), (bits, size) => bits + size)

/** The end of a block costs its share of all runs of ends: their symbols and raw bits over the blocks that have one. */
const acRates = (counts: Float64Array, runBits: number, blocks: number): Float32Array => {
  const bits = informations(counts)
  let ends = runBits
  for (let s = 0; s < 0xf0; s += 16) ends += counts[s]! * bits[s]!
  const rates = Float32Array.from(bits, (b, s) => b + (s & 15))
  rates[0] = ends / Math.max(1, blocks)
  return rates
}
