import { describe, expect, it } from 'vitest'
import { LOWEST_GOAL, mayBeLowered } from './lowered-goal.ts'

const source = { facts: { bytes: 50_000 } }

describe('a video that is larger than its source', () => {
  it.each([
    ['as large as its source', { bytes: 50_000 }, source, 70.25, true],
    ['smaller than its source', { bytes: 49_999 }, source, 70.25, false],
    ['cut short, so that there is no time for another', { bytes: 90_000, cutShort: true }, source, 70.25, false],
    ['at the lowest preset already', { bytes: 90_000 }, source, LOWEST_GOAL, false],
    ['of a source that a container alone exceeds', { bytes: 1500 }, { facts: { bytes: 900 } }, 70.25, false],
  ])('is made at the lowest preset or not: %s', (_, made, from, goal, lowered) => {
    expect(mayBeLowered(made, from, goal)).toBe(lowered)
  })
})
