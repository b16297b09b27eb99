import { describe, expect, it } from 'vitest'
import { lowestIndex, WHOLE_IMAGE_LIMITS } from './lowest-index.ts'

/** Searches 0..53 where everything from `lowest` on passes; the indices in the order of their trials. */
const search = (lowest: number, aboveAt: (index: number) => number | undefined, start = 24, limited = false) => {
  const tried: number[] = []
  const range = { first: limited ? start : 0, last: 53, start, ...(limited ? { limits: WHOLE_IMAGE_LIMITS } : {}) }
  const found = lowestIndex(range, (index) => {
    tried.push(index)
    return { ...(index >= lowest ? { proven: index } : {}), above: aboveAt(index) }
  })
  return { tried, found }
}

describe('the search for the lowest index that passes', () => {
  it.each([
    0, 3, 20, 45, 53,
  ])('finds %d without knowing how far a trial is from the goal, in seven trials', (lowest) => {
    const { tried, found } = search(lowest, () => undefined)
    expect(found).toEqual({ index: lowest, outcome: { proven: lowest } })
    expect(tried[0]).toBe(24)
    expect(tried.length).toBeLessThanOrEqual(7)
  })

  it.each([3, 20, 45])('finds %d in fewer trials where distances from the goal are known', (lowest) => {
    const { tried, found } = search(lowest, (index) => (index - lowest) * 1.4 + 0.5)
    expect(found?.index).toBe(lowest)
    expect(tried.length).toBeLessThanOrEqual(5)
  })

  it('finds the lowest index even where the distances mislead', () => {
    for (const above of [() => 100, () => -100, (index: number) => -index])
      expect(search(31, above).found?.index).toBe(31)
  })

  it('finds nothing where nothing passes', () => {
    expect(search(99, () => undefined).found).toBeUndefined()
  })
})

describe('the search with limits for whole images', () => {
  it('takes the first index where that passes', () => {
    expect(search(20, () => 3, 26, true)).toMatchObject({ tried: [26], found: { index: 26 } })
  })

  it('goes up by what is missing and back while that was too far', () => {
    const { tried, found } = search(28, (index) => (index < 28 ? -33 : 9), 26, true)
    expect(tried.length).toBeLessThanOrEqual(5)
    expect(found!.index).toBeLessThanOrEqual(31)
  })

  it('ends after five trials where nothing passes', () => {
    expect(search(99, () => -60, 26, true).tried.length).toBeLessThanOrEqual(5)
  })
})
