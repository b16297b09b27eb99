import { describe, expect, it } from 'vitest'
import { bestOf } from './trial.ts'

describe('the best of what was trials', () => {
  it('is the cheapest of those that reach the target, whatever they score', () => {
    const trials = [
      { score: 70.1, rateEstimate: 1010 },
      { score: 70.4, rateEstimate: 1000 },
      { score: 69.9, rateEstimate: 900 },
    ]
    expect(bestOf(trials, { score: 70 })).toBe(trials[1])
  })

  it('is the one that scores best where none reaches it, and nothing where nothing was trials', () => {
    const trials = [
      { score: 64, rateEstimate: 1010 },
      { score: 66, rateEstimate: 1200 },
      { score: 65, rateEstimate: 900 },
    ]
    expect(bestOf(trials, { score: 70 })).toBe(trials[1])
    expect(bestOf([], { score: 70 })).toBeUndefined()
  })
})
