import { describe, expect, it } from 'vitest'
import { type BothScores, keepsBounds, logNormAt99, neededScore, shortfall, slackAt } from './bounds.ts'

/** An image whose 3-norm is `at70` at a score of 70, and follows the lack of score by a power. */
const image =
  (at70: number, power: number) =>
  (score: number): Required<BothScores> => ({ score, butteraugli: at70 * ((100 - score) / 30) ** power })

const bounds = { score: 70, butteraugli: 1.5 }

describe('the score that keeps both bounds', () => {
  it('is the asked one where no 3-norm is asked for, whatever was compared', () => {
    expect(neededScore({ score: 70 }, [image(3, 1)(70)], 0)).toBe(70)
  })

  it('is the asked one where the 3-norm is kept there', () => {
    expect(neededScore(bounds, [image(1.4, 1.1)(70)], 0)).toBe(70)
  })

  for (const power of [0.9, 1.1, 1.3]) {
    it(`is found from two trials where the 3-norm binds and goes with the power ${power}`, () => {
      const compare = image(1.8, power)
      const first = compare(neededScore(bounds, [], logNormAt99(compare(70)) - 0.1))
      const second = compare(neededScore(bounds, [first], 0))
      const third = compare(neededScore(bounds, [first, second], 0))
      expect(third.butteraugli / 1.5).toBeGreaterThan(0.99)
      expect(third.butteraugli / 1.5).toBeLessThan(1.005)
    })
  }

  it('comes from the prediction before anything was compared, and trials without a 3-norm change nothing', () => {
    const predicted = logNormAt99(image(1.8, 1)(70))
    const needed = neededScore(bounds, [], predicted)
    expect(image(1.8, 1)(needed).butteraugli).toBeCloseTo(1.5, 2)
    expect(neededScore(bounds, [{ score: 60 }], predicted)).toBe(needed)
  })

  it('is higher by a margin for each trial more that has just not kept the 3-norm', () => {
    const near = { score: 75, butteraugli: 1.503 }
    const others = [
      { score: 74, butteraugli: 1.53 },
      { score: 74.8, butteraugli: 1.51 },
    ]
    const gains = [0, 1, 2].map((count) => neededScore(bounds, [near, ...others.slice(0, count)], 0) - near.score)
    expect(gains[0]).toBeLessThan(0.1)
    expect(gains[1]! - gains[0]!).toBeGreaterThan(0.2)
    expect(gains[2]! - gains[1]!).toBeGreaterThan(0.2)
  })

  it('stays below 100 for a 3-norm that is out of reach', () => {
    expect(neededScore({ score: 70, butteraugli: 0.001 }, [image(1.8, 1)(90)], 0)).toBe(97)
  })
})

describe('a trial', () => {
  it('keeps the bounds when it keeps each, and only a known 3-norm is kept', () => {
    expect(keepsBounds({ score: 70, butteraugli: 1.5 }, bounds)).toBe(true)
    expect(keepsBounds({ score: 69.9, butteraugli: 1.5 }, bounds)).toBe(false)
    expect(keepsBounds({ score: 71, butteraugli: 1.51 }, bounds)).toBe(false)
    expect(keepsBounds({ score: 71 }, bounds)).toBe(false)
    expect(keepsBounds({ score: 71 }, { score: 70 })).toBe(true)
  })

  it('misses by the bound that it misses most', () => {
    const worse = shortfall({ score: 71, butteraugli: 1.8 }, bounds)
    expect(shortfall({ score: 68, butteraugli: 1.5 }, bounds)).toBeLessThan(worse)
    expect(shortfall({ score: 80 }, bounds)).toBeGreaterThan(worse)
    expect(shortfall({ score: 70, butteraugli: 1.5 }, bounds)).toBe(0)
  })

  it('may lie further above the score where the 3-norm binds at low scores', () => {
    expect(slackAt(70, bounds, 0.3)).toBe(0.3)
    expect(slackAt(60, { score: 55, butteraugli: 2.4 }, 0.3)).toBeGreaterThan(0.6)
    expect(slackAt(90, { score: 85, butteraugli: 0.75 }, 0.3)).toBe(0.3)
  })
})
