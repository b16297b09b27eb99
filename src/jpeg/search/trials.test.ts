import { describe, expect, it } from 'vitest'
import type { AnyRaster } from '../../core/image.ts'
import { openJpegEncoder } from '../quantiser/encoder.ts'
import { openTrials } from './trials.ts'

const image: AnyRaster = {
  width: 48,
  height: 32,
  channels: 3,
  data: Uint8Array.from({ length: 48 * 32 * 3 }, (_, i) => (i * 37) % 251),
}

describe('a trial', () => {
  it.each([
    { smooth: 0, analyses: 2 },
    { smooth: 1, analyses: 1 },
  ] as const)('makes a first pass once for each set of tables, and one alone with protection $smooth', ({
    smooth,
    analyses,
  }) => {
    const encoder = openJpegEncoder(image)
    let made = 0
    const counting: typeof encoder = {
      ...encoder,
      analyse: (setting) => {
        made++
        return encoder.analyse(setting)
      },
    }
    const trials = openTrials(counting, { compare: () => 60 }, { target: 70 }, { trials: 0, comparisons: 0 })
    const settings = [50, 60, 50].map((quality) => trials.make({ quality, lambdaScale: 1.2, smooth }, quality).setting)
    expect(made).toBe(analyses)
    expect(settings[2]!.rates).toBe(settings[0]!.rates)
    encoder.close()
  })

  it('is shown again in the raster that it was first shown in, for a later measure', () => {
    const encoder = openJpegEncoder(image)
    const seen: AnyRaster[] = []
    const copies: Uint8Array[] = []
    const see = (shown: AnyRaster): number => {
      seen.push(shown)
      copies.push(Uint8Array.from(shown.data))
      return 73
    }
    const reference = { compare: see, butteraugli: see }
    const counts = { trials: 0, comparisons: 0 }
    const trials = openTrials(encoder, reference, { target: 70, butteraugli: 1.5 }, counts)
    const [first] = [50, 90].map((quality) => trials.make({ quality, lambdaScale: 1.2, smooth: 0 }, quality))
    trials.measureButteraugli(first!)
    expect(seen[2]).toBe(seen[0])
    expect(copies[2]).toEqual(copies[0])
    expect(copies[1]).not.toEqual(copies[0])
    encoder.close()
  })

  it('has margins in points of score, 0 where a bound is just kept', () => {
    const encoder = openJpegEncoder(image)
    const tileScores = [66, 70]
    const reference = { compare: () => 73, tileScore: () => tileScores.shift()!, butteraugli: () => 1.5 }
    const counts = { trials: 0, comparisons: 0 }
    const trials = openTrials(encoder, reference, { target: 70, butteraugli: 1.5 }, counts)
    const trial = trials.make({ quality: 50, lambdaScale: 1.2, smooth: 0 }, 50)
    expect(trial.margins).toEqual({ score: 3 })
    expect(trials.measureTiles(trial).margins).toEqual({ score: 3, tiles: -4 })
    expect(trials.measureTiles(trial).margins.tiles).toBeGreaterThan(0)
    expect(trials.measureButteraugli(trial)).toMatchObject({ norm: 1.5, comparison: 0, margins: { butteraugli: 0 } })
    expect(counts).toEqual({ trials: 1, comparisons: 1 })
    encoder.close()
  })
})
