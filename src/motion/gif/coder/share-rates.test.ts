import { describe, expect, it } from 'vitest'
import { sampleToLast } from '../../frames/sampling.ts'
import { nextRates, type RateTrial, shareOf } from './share-rates.ts'

const MAX_TRIALS = 6

/** Encodes an animation whose sampled frames have `marginAt` points at a rate, by share, until no rates follow. */
const search = (start: readonly number[], marginAt: (rate: number, share: number) => number): RateTrial[] => {
  const trials: RateTrial[] = []
  for (let rates: readonly number[] | undefined = start; rates !== undefined && trials.length < MAX_TRIALS; ) {
    trials.push({ rates, margins: rates.map(marginAt) })
    rates = nextRates(trials, MAX_TRIALS)
  }
  return trials
}

describe('the shares of an animation', () => {
  it.each([
    [2, 6],
    [5, 6],
    [6, 6],
    [20, 6],
    [1000, 6],
    [20, 24],
    [31, 24],
    [1000, 24],
  ])('each share of %i frames has one sampled frame of at most %i', (frames, most) => {
    const numbers = sampleToLast(frames, most)
    expect(numbers.map((number) => shareOf(number, frames, numbers.length))).toEqual([...numbers.keys()])
  })
})

describe('the search for what a bit is worth in each share', () => {
  it('raises the rate of a frame far above its goal, lowers that of a failing one and keeps that of one just above', () => {
    const [up, same, down] = nextRates([{ rates: [0, 0, 0], margins: [10, 1, -2] }], MAX_TRIALS)!
    expect(up).toBeGreaterThan(0.3)
    expect(same).toBe(0)
    expect(down).toBeLessThan(-0.1)
  })

  it('ends where every frame is just above its goal', () =>
    expect(nextRates([{ rates: [1, 2], margins: [0.5, 1.5] }], MAX_TRIALS)).toBeUndefined())

  it('moves no share further than the slope of a usual animation is known', () => {
    const [up, down] = nextRates([{ rates: [0, 0], margins: [90, -370] }], MAX_TRIALS)!
    expect(up).toBeCloseTo(1.4)
    expect(down).toBeCloseTo(-1.4)
  })

  it('brings every share to its goal within the allowed trials, whatever their slopes', () => {
    const goals = [1.3, -0.7, 0.2, 2]
    const slopes = [12, 16, 22, 18]
    const trials = search([0, 0, 0, 0], (rate, share) => (goals[share]! - rate) * slopes[share]!)
    expect(trials.at(-1)!.margins.every((margin) => margin >= 0 && margin <= 1.6)).toBe(true)
    expect(trials.length).toBeLessThanOrEqual(MAX_TRIALS)
  })

  it('lowers the failing shares alone where the last trial fails, although a larger one passed', () => {
    const larger = { rates: [0, 0, 0], margins: [14, 14, 14] }
    const smaller = { rates: [1, 1, 1], margins: [0.4, -0.1, -3] }
    const [before, failing, after] = nextRates([larger, smaller], 2)!
    expect(before).toBe(1)
    expect(failing).toBeLessThan(1)
    expect(failing).toBeGreaterThan(0.8)
    expect(after).toBeLessThan(failing!)
    expect(nextRates([larger, smaller, { rates: [1, 0.9, 0.7], margins: [0.4, 1, 0.2] }], 2)).toBeUndefined()
  })

  it('repairs many shares that fail within a few trials', () => {
    const trials: RateTrial[] = []
    // A steep fall beyond a rate that differs by share: the search jumps over it.
    const marginAt = (rate: number, share: number): number => (rate > 0.5 + share / 50 ? -40 : 1 + (0.5 - rate))
    for (let rates: readonly number[] | undefined = Array(24).fill(1.2); rates !== undefined; ) {
      trials.push({ rates, margins: rates.map(marginAt) })
      rates = nextRates(trials, 1)
    }
    expect(trials.at(-1)!.margins.every((margin) => margin >= 0)).toBe(true)
    expect(trials.length).toBe(2)
  })

  it('goes on where each trial misses in another share', () => {
    const trials: RateTrial[] = []
    for (let rates: readonly number[] | undefined = Array(6).fill(0); rates !== undefined; ) {
      // The canvas that the shares before leave costs one of them 2 points in each trial.
      const margins = rates.map((rate, share) => (-0.5 - rate) * 16 - (share === trials.length % 6 ? 2 : 0))
      trials.push({ rates, margins })
      rates = nextRates(trials, MAX_TRIALS)
    }
    expect(trials.at(-1)!.margins.every((margin) => margin >= 0)).toBe(true)
    expect(trials.length).toBeGreaterThan(MAX_TRIALS)
  })

  it('lowers a rate that passed before, where the frame fails since others have changed', () => {
    const before = { rates: [0.5, 1], margins: [1, 20] }
    const after = { rates: [0.5, 2], margins: [-1, 1] }
    const [rate] = nextRates([before, after], MAX_TRIALS)!
    expect(rate).toBeLessThan(0.5)
  })
})
