import { describe, expect, it } from 'vitest'
import { sampleFrames } from '../../frames/sampling.ts'
import { nextRates, shareOf } from './share-rates.ts'

const at = (...effective: number[]) => effective.map((one) => ({ effective: one, keeps: one >= 70 }))

describe('what a bit is worth in each share of the frames', () => {
  it.each([2, 3, 5, 6, 20, 31, 1000])('has a sampled frame in each share of %i frames', (frames) => {
    const numbers = sampleFrames(frames, 6)
    expect(numbers.map((number) => shareOf(number, frames, numbers.length))).toEqual([...numbers.keys()])
  })

  it('goes up where a frame is far above the goal, down where it fails, and stays in between', () => {
    const [up, stays, down] = nextRates([0, 0, 0], at(80, 71, 68), { goal: 70, tries: 0 })!
    expect(up).toBeGreaterThan(0.3)
    expect(stays).toBe(0)
    expect(down).toBeLessThan(-0.1)
  })

  it('goes up by less with each try, but never less down', () => {
    const [early, late] = [0, 4].map((tries) => nextRates([0, 0], at(80, 60), { goal: 70, tries })!)
    expect(late![0]).toBeLessThan(early![0]!)
    expect(late![1]).toBe(early![1])
  })

  it('has come to its end where all frames are near above the goal', () => {
    expect(nextRates([1, 2], at(70.5, 71.5), { goal: 70, tries: 1 })).toBeUndefined()
  })

  it('comes down from a frame that fails by nothing, or that is hopeless', () => {
    const [a, b] = nextRates(
      [0, 0],
      [
        { keeps: false, effective: 75 },
        { keeps: false, effective: -300 },
      ],
      { goal: 70, tries: 0 },
    )!
    expect(a).toBeLessThan(-0.05)
    expect(b).toBeGreaterThan(-1)
  })
})
