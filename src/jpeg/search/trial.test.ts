import { describe, expect, it } from 'vitest'
import type { AnyRaster } from '../../core/image.ts'
import { openJpegEncoder } from '../quantiser/encoder.ts'
import { bestOf, openTrials } from './trial.ts'

describe('the best of what was trials', () => {
  it('is the cheapest of those that reach the target, whatever they score', () => {
    const trials = [
      { score: 70.1, rateEstimate: 1010 },
      { score: 70.4, rateEstimate: 1000 },
      { score: 69.9, rateEstimate: 900 },
    ]
    expect(bestOf(trials, { score: 70 })).toBe(trials[1])
  })

  it('is the one that scores best where none reaches it, and nothing where nothing was trials', () => {
    const trials = [
      { score: 64, rateEstimate: 1010 },
      { score: 66, rateEstimate: 1200 },
      { score: 65, rateEstimate: 900 },
    ]
    expect(bestOf(trials, { score: 70 })).toBe(trials[1])
    expect(bestOf([], { score: 70 })).toBeUndefined()
  })
})

const image: AnyRaster = {
  width: 48,
  height: 32,
  channels: 3,
  data: Uint8Array.from({ length: 48 * 32 * 3 }, (_, i) => (i * 37) % 251),
}

describe('a trial at new tables', () => {
  it.each([
    { smooth: 0, analyses: 2 },
    { smooth: 1, analyses: 1 },
  ] as const)('learns anew only what tables decide: smooth $smooth', ({ smooth, analyses }) => {
    const encoder = openJpegEncoder(image)
    let made = 0
    const counting: typeof encoder = {
      ...encoder,
      analyse: (setting) => {
        made++
        return encoder.analyse(setting)
      },
    }
    const trials = openTrials(counting, { compare: () => 60 }, { trials: 0, comparisons: 0 }, { target: 70, smooth })
    trials.attempt({ quality: 50, lambdaScale: 1.2 })
    const second = trials.attempt({ quality: 60, lambdaScale: 1.2 })
    expect(made).toBe(analyses)
    expect(second.setting.rates).toHaveLength(2)
    encoder.close()
  })
})

describe('the places of trials that need not be watched', () => {
  it('are looked at in the first that comes near the target, and in no later one', () => {
    const encoder = openJpegEncoder(image)
    const scores = [60, 69, 71]
    const looks: number[] = []
    const places = () => {
      looks.push(scores.length)
      return 80
    }
    const trials = openTrials(
      encoder,
      { compare: () => scores.shift()!, places },
      { trials: 0, comparisons: 0 },
      { target: 70 },
    )
    for (const quality of [40, 50, 60]) trials.attempt({ quality, lambdaScale: 1.2 })
    expect(looks).toEqual([1])
    encoder.close()
  })
})

describe('a trial whose places are known to matter', () => {
  it.each([
    { place: 66, asked: 0, told: { similarity: 71, score: 66 } },
    { place: 74, asked: 1, told: { similarity: 73, score: 73 } },
  ])('is scored as a whole only where they keep the target: $place of 70', ({ place, asked, told }) => {
    const encoder = openJpegEncoder(image)
    let compared = 0
    const compare = () => {
      compared++
      return 73
    }
    const rules = { target: 70, smooth: 1, watched: true, expected: () => 71 } as const
    const trials = openTrials(encoder, { compare, places: () => place }, { trials: 0, comparisons: 0 }, rules)
    expect(trials.attempt({ quality: 50, lambdaScale: 1.2 })).toMatchObject({ ...told, place })
    expect(compared).toBe(asked)
    encoder.close()
  })
})
