import { describe, expect, it } from 'vitest'
import { bestTrial, bindingConstraint, isFeasible } from './margins.ts'

const BOUNDS = ['score', 'distance'] as const

describe('the margins of a trial', () => {
  it('are feasible only where every bound was measured and is kept', () => {
    expect(isFeasible({ score: 0, distance: 2 }, BOUNDS)).toBe(true)
    expect(isFeasible({ score: 3, distance: -0.1 }, BOUNDS)).toBe(false)
    expect(isFeasible({ score: 3 }, BOUNDS)).toBe(false)
  })

  it('name the binding constraint', () => {
    expect(bindingConstraint({ score: 3, distance: -0.1 })).toEqual({ bound: 'distance', margin: -0.1 })
    expect(bindingConstraint({})).toBeUndefined()
  })
})

describe('the best of trials', () => {
  const trial = (bytes: number, score: number, distance?: number) => ({
    bytes,
    margins: { score, ...(distance === undefined ? {} : { distance }) },
  })

  it('is the smallest that keeps every bound', () => {
    const trials = [trial(1010, 0.1, 2), trial(1000, 4, 0), trial(900, -1, 3), trial(800, 5)]
    expect(bestTrial(trials, BOUNDS)).toBe(trials[1])
  })

  it('is the one whose worst bound is nearest where none keeps all', () => {
    const trials = [trial(1000, -4, 3), trial(1200, 1, -2), trial(900, 9)]
    expect(bestTrial(trials, BOUNDS)).toBe(trials[1])
    expect(bestTrial<'score', (typeof trials)[number]>([], ['score'])).toBeUndefined()
  })
})
