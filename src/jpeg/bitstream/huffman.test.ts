import { describe, expect, it } from 'vitest'
import { codeCost, codeLengths } from './huffman.ts'

const countsOf = (list: number[]): Uint32Array => {
  const counts = new Uint32Array(256)
  counts.set(list)
  return counts
}

/** Each the sum of the two before: Huffman's own code for these is as long as there are symbols. */
const fibonacci = Array.from({ length: 40 }).reduce<number[]>((list) => [...list, list.at(-1)! + list.at(-2)!], [1, 1])

const cases: { of: string; counts: number[] }[] = [
  { of: 'nothing', counts: [] },
  { of: 'one symbol', counts: [0, 0, 7] },
  { of: 'two symbols', counts: [1, 0, 1000] },
  { of: 'all symbols alike', counts: Array.from({ length: 256 }, () => 3) },
  { of: 'what halves from symbol to symbol', counts: Array.from({ length: 12 }, (_, i) => 2 ** i) },
  { of: 'what would need codes longer than 16 bits', counts: fibonacci },
]

describe('the cost of a Huffman table', () => {
  for (const { of, counts } of cases) {
    it(`equals the length of the code that the table gives, for ${of}`, () => {
      const all = countsOf(counts)
      const lengths = codeLengths(all)
      const used = lengths.filter((length) => length > 0).length
      const bits = all.reduce((sum, count, s) => sum + count * lengths[s]!, 0)
      expect(codeCost(all)).toEqual({ bits, bytes: used > 0 ? 21 + used : 0 })
    })
  }

  it('leaves the code of all ones free and stays within 16 bits', () => {
    for (const { counts } of cases.slice(1)) {
      const lengths = codeLengths(countsOf(counts))
      const filled = lengths.reduce((sum, length) => sum + (length > 0 ? 2 ** -length : 0), 0)
      expect(filled).toBeLessThan(1)
      expect(Math.max(...lengths)).toBeLessThanOrEqual(16)
    }
  })
})
