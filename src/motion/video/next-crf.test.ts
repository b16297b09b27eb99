import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bracket, type CrfAxis, type CrfTrial, nextCrf } from './next-crf.ts'

const AXIS: CrfAxis = { lowest: 10, highest: 40, step: 0.5, scorePerCrf: 2.5 }

/** Searches on a curve; the tries in their order. */
const search = (worthOf: (crf: number) => number, goal: number, from: number, most = 50): CrfTrial[] => {
  const tries: CrfTrial[] = []
  for (let crf: number | undefined = from; crf !== undefined && tries.length < most; crf = nextCrf(tries, goal, AXIS))
    tries.push({ crf, effectiveScore: worthOf(crf) })
  return tries
}

describe('the search for a quality number', () => {
  it('stops at once where the first try is just above the goal', () => {
    expect(search(() => 70.5, 70, 24)).toEqual([{ crf: 24, effectiveScore: 70.5 }])
  })

  it('goes up while the goal is exceeded, and down while it is missed', () => {
    expect(nextCrf([{ crf: 24, effectiveScore: 80 }], 70, AXIS)).toBe(28)
    expect(nextCrf([{ crf: 24, effectiveScore: 65 }], 70, AXIS)).toBe(22)
  })

  it('gives up at the ends', () => {
    expect(search(() => 99, 70, 24).at(-1)?.crf).toBe(40)
    expect(search(() => 20, 70, 24).at(-1)?.crf).toBe(10)
  })

  it('keeps the highest number that reaches the goal, whatever order they came in', () => {
    const tries = [30, 24, 26, 28].map((crf) => ({ crf, effectiveScore: 100 - crf }))
    expect(bracket(tries, 73)).toEqual({ good: { crf: 26, effectiveScore: 74 }, bad: { crf: 28, effectiveScore: 72 } })
  })

  it('finds a number within a step of the best on any falling curve, and tries none twice', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.6, max: 6, noNaN: true }),
        fc.double({ min: 45, max: 90, noNaN: true }),
        fc.integer({ min: 20, max: 68 }),
        (slope, goal, twice) => {
          const worthOf = (crf: number): number => 95 - slope * (crf - 12)
          const tries = search(worthOf, goal, twice / 2)
          expect(new Set(tries.map(({ crf }) => crf)).size).toBe(tries.length)
          expect(tries.length).toBeLessThan(12)
          const { good } = bracket(tries, goal)
          const next = (good?.crf ?? 0) + AXIS.step
          if (good !== undefined && good.crf < AXIS.highest) expect(worthOf(next)).toBeLessThan(goal + 1)
        },
      ),
    )
  })
})
