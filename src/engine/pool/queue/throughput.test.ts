import { expect, test } from 'vitest'
import { openThroughput } from './throughput.ts'

test('a throughput predicts the time of work from earlier work, and follows changes', () => {
  const throughput = openThroughput()
  expect(throughput.msFor(5)).toBe(0)
  throughput.learn(2, 1000)
  expect(throughput.msFor(1)).toBe(500)
  // By work and not by job: a small one weighs little.
  throughput.learn(0.02, 1000)
  expect(throughput.msFor(1)).toBeLessThan(1100)
  for (let job = 0; job < 100; job += 1) throughput.learn(1, 2000)
  expect(throughput.msFor(3)).toBeCloseTo(6000, -2)
})
