import { expect, it } from 'vitest'
import { fewestBytes } from './estimate-bytes.ts'

it('expects a little less than the estimate where a trial is just at the goal', () => {
  expect(fewestBytes(10_000, 0)).toBeLessThan(10_000)
  expect(fewestBytes(10_000, 0)).toBeGreaterThan(9_500)
})

it('expects more where a trial misses the goal, and much less where it exceeds it', () => {
  const [below, at, above] = [-2, 0, 2].map((margin) => fewestBytes(10_000, margin)) as [number, number, number]
  expect(below).toBeGreaterThan(at)
  expect(above).toBeLessThan(at)
  expect(at / above).toBeGreaterThan(below / at)
})
