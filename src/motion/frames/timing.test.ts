import fc from 'fast-check'
import { expect, it } from 'vitest'
import { playedDelays, startTimes, sumOf, toHundredths } from './timing.ts'

it.each([
  [
    [0, 10, 11, 20, 500],
    [100, 100, 11, 20, 500],
  ],
  [[40], [40, 40, 40]],
  [[], [100, 100]],
])('shows frames stored with %j ms for %j ms, as browsers do', (stored, played) => {
  expect(playedDelays(stored, played.length)).toEqual(played)
})

it('rounds to hundredths without losing time', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 20, max: 3000 }), { minLength: 1 }), (delays) => {
      const rounded = toHundredths(delays)
      expect(rounded.every((delay) => delay % 10 === 0 && delay >= 20)).toBe(true)
      expect(Math.abs(sumOf(rounded) - sumOf(delays))).toBeLessThanOrEqual(15)
    }),
  )
})

it('keeps delays that are whole hundredths', () => {
  expect(toHundredths([100, 20, 70])).toEqual([100, 20, 70])
})

it('starts each frame where the one before ends', () => {
  expect(startTimes([100, 50, 20])).toEqual([0, 100, 150])
})
