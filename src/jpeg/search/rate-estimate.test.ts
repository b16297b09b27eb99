import { describe, expect, it } from 'vitest'
import { leastBytes } from './rate-estimate.ts'

describe('the least bytes that may reach a goal', () => {
  it('are a little less than what an attempt at the goal was sized', () => {
    expect(leastBytes(10_000, 0)).toBeLessThan(10_000)
    expect(leastBytes(10_000, 0)).toBeGreaterThan(9_500)
  })

  it('rise with what the attempt lacks and fall with what it has in excess, faster', () => {
    const [below, at, above] = [2, 0, -2].map((gap) => leastBytes(10_000, gap)) as [number, number, number]
    expect(below).toBeGreaterThan(at)
    expect(above).toBeLessThan(at)
    expect(at / above).toBeGreaterThan(below / at)
  })
})
