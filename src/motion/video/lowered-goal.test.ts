import { describe, expect, it } from 'vitest'
import { LOWEST_GOAL, mayBeLowered } from './lowered-goal.ts'

const source = 50_000

describe('a video that is larger than its source', () => {
  it.each([
    ['as large as its source', { bytes: 50_000 }, source, 70.25, true],
    ['smaller than its source', { bytes: 49_999 }, source, 70.25, false],
    ['cut short, so that there is no time for another', { bytes: 90_000, cutShort: true }, source, 70.25, false],
    ['at the lowest preset already', { bytes: 90_000 }, source, LOWEST_GOAL, false],
    ['of a source that a container alone exceeds', { bytes: 1500 }, 900, 70.25, false],
  ])('the lowest preset is allowed or not: %s', (_, made, sourceBytes, goal, lowered) => {
    expect(mayBeLowered(made, { sourceBytes, goal })).toBe(lowered)
  })

  it('stays as it is where the format cannot even reach the lowest preset', () => {
    const held = { sourceBytes: 50_000, goal: 70.25 }
    expect([39, 60].map((ceiling) => mayBeLowered({ bytes: 90_000 }, { ...held, ceiling }))).toEqual([false, true])
  })
})
