import { describe, expect, it } from 'vitest'
import { bestOf } from './prober.ts'

describe('the best of what was tried', () => {
  it('is the cheapest of those that reach the target, whatever they score', () => {
    const tried = [
      { score: 70.1, price: 1010 },
      { score: 70.4, price: 1000 },
      { score: 69.9, price: 900 },
    ]
    expect(bestOf(tried, 70)).toBe(tried[1])
  })

  it('is the one that scores best where none reaches it, and nothing where nothing was tried', () => {
    const tried = [
      { score: 64, price: 1010 },
      { score: 66, price: 1200 },
      { score: 65, price: 900 },
    ]
    expect(bestOf(tried, 70)).toBe(tried[1])
    expect(bestOf([], 70)).toBeUndefined()
  })
})
