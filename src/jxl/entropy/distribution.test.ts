import { describe, expect, it } from 'vitest'
import { layOutSlots } from './alias-table.ts'
import { DISTRIBUTION_SUM, distributionOf } from './distribution.ts'

const CASES: readonly (readonly [what: string, counts: readonly number[]])[] = [
  ['one symbol', [0, 0, 7]],
  ['no symbol', [0, 0]],
  ['two symbols', [1, 0, 99_999]],
  ['equal counts', new Array<number>(64).fill(3)],
  ['a symbol in a million among many', [1_000_000, ...new Array<number>(40).fill(1)]],
  ['the most frequent symbol last', [2047, 2000, 1, 2048]],
  ['counts that round up to a half', [2047, 2048, 1]],
  ['gaps', [5, 0, 0, 0, 0, 0, 0, 9, 0, 3]],
]

describe('a distribution', () => {
  it.each(CASES)('%s sums to 4096 and leaves no counted symbol out', (_, counts) => {
    const { frequencies } = distributionOf(Uint32Array.from(counts))
    expect(frequencies.reduce((sum, frequency) => sum + frequency, 0)).toBe(DISTRIBUTION_SUM)
    counts.forEach((count, symbol) => {
      if (count > 0) expect(frequencies[symbol]).toBeGreaterThan(0)
    })
  })

  it.each(CASES)('%s gives every slot to one occurrence of a symbol', (_, counts) => {
    const { slots } = layOutSlots(distributionOf(Uint32Array.from(counts)).frequencies, 6)
    expect(new Set(slots).size).toBe(DISTRIBUTION_SUM)
  })
})
