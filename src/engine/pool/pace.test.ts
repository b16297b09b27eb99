import { expect, test } from 'vitest'
import { openPace } from './pace.ts'

test('a pace predicts the time of work from earlier work, and follows changes', () => {
  const pace = openPace()
  expect(pace.msFor(5)).toBe(0)
  pace.learn(2, 1000)
  expect(pace.msFor(1)).toBe(500)
  // By work and not by job: a small one weighs little.
  pace.learn(0.02, 1000)
  expect(pace.msFor(1)).toBeLessThan(1100)
  for (let job = 0; job < 100; job += 1) pace.learn(1, 2000)
  expect(pace.msFor(3)).toBeCloseTo(6000, -2)
})
