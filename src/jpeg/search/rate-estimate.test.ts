import { describe, expect, it } from 'vitest'
import { leastBytes, pointsWorth } from './rate-estimate.ts'

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

describe('points of score that a part of the bytes buys', () => {
  const trial = (similarity: number, rateEstimate: number) => ({ similarity, rateEstimate })

  it('are fewer the faster bytes rose between the last trials', () => {
    const flat = pointsWorth(0.03, [trial(69, 10_000), trial(71, 10_500)])
    const steep = pointsWorth(0.03, [trial(69, 10_000), trial(71, 11_000)])
    expect(flat).toBeCloseTo(0.03 / (Math.log(1.05) / 2))
    expect(steep).toBeLessThan(flat * 0.6)
  })

  it('are the usual ones where no trials tell, as of one alone or of two that score alike', () => {
    const usual = pointsWorth(0.03, [])
    expect(usual).toBeGreaterThan(0.5)
    expect(usual).toBeLessThan(1.5)
    expect(pointsWorth(0.03, [trial(70, 10_000)])).toBe(usual)
    expect(pointsWorth(0.03, [trial(70, 10_000), trial(70.1, 12_000)])).toBe(usual)
  })

  it('stay within belief where noise would tell that bytes fall, or leap', () => {
    expect(pointsWorth(0.03, [trial(69, 10_000), trial(71, 9_000)])).toBeCloseTo(1.5)
    expect(pointsWorth(0.03, [trial(69, 10_000), trial(69.5, 14_000)])).toBeCloseTo(0.5)
  })
})
