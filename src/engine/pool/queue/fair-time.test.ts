import { describe, expect, it } from 'vitest'
import { fairTimeOf } from './fair-time.ts'

/** Parts of jobs, each an account and a cost. */
const partsOf = (workers: number, ...jobs: readonly (readonly [string, number])[]): readonly number[] => {
  const shares = jobs.map(([account, cost]) => ({ account, cost }))
  return shares.map(fairTimeOf(shares, workers))
}

describe('the part of the time that a job may take', () => {
  it('is all of it while there are no more jobs than workers', () => {
    expect(partsOf(2, ['a', 100], ['a', 1])).toEqual([1, 1])
  })

  it('is equal for equal jobs', () => {
    expect(partsOf(2, ['a', 9], ['a', 9], ['a', 9], ['a', 9])).toEqual([0.5, 0.5, 0.5, 0.5])
  })

  it('is in proportion to the cost', () => {
    expect(partsOf(1, ['a', 3], ['a', 1])).toEqual([0.75, 0.25])
  })

  it('leaves to small jobs what a large one cannot use, since no job has two workers', () => {
    expect(partsOf(2, ['a', 100], ['a', 1], ['a', 1])).toEqual([1, 0.5, 0.5])
  })

  it('counts many jobs of another account no more than their equal part', () => {
    const [own, ...others] = partsOf(1, ['a', 10], ...Array.from({ length: 9 }, () => ['b', 10] as const))
    expect(own).toBeGreaterThan(1.5 * others[0]!)
  })
})
