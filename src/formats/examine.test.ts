import { describe, expect, it } from 'vitest'
import type { Raster } from '../core/image.ts'
import type { PerceptualMetrics, Scores } from '../metric/metrics.ts'
import { openExaminer } from './examine.ts'

const PIXELS: Raster = { data: new Uint8Array(3), width: 1, height: 1, channels: 3 }
/** Points of patience below which nothing is measured after a tile that breaks a bound. */
const NONE = -1

/** Examines a candidate of the given scores with no patience, and logs the figures that were read of it. */
const examineWithoutPatience = (given: Pick<Scores, 'ssimulacra' | 'contour'>) => {
  const read: string[] = []
  const figure = (name: string, value: number): PropertyDescriptor => ({
    get: () => {
      read.push(name)
      return value
    },
  })
  const scores = Object.defineProperties({} as Scores, {
    ssimulacra: figure('ssimulacra', given.ssimulacra),
    worstTileSsimulacra: figure('worstTileSsimulacra', given.ssimulacra),
    butteraugli3: figure('butteraugli3', 1),
    worstTileButteraugli: figure('worstTileButteraugli', 1),
    tileColour: figure('tileColour', 1),
    contour: figure('contour', given.contour),
    bleeding: figure('bleeding', 0),
  })
  const metrics: PerceptualMetrics = {
    prepare: () => ({ measure: () => scores, free: () => undefined, [Symbol.dispose]: () => undefined }),
  }
  const target = { kind: 'score', preset: 'medium', score: 70 } as const
  using examiner = openExaminer(metrics, { pixels: PIXELS, target, density: 1 })
  return { examined: examiner.examine(PIXELS, 'jpeg', NONE), read }
}

describe('an examination without patience', () => {
  it('measures nothing after the contour of a tile that breaks its bound', () => {
    const { examined, read } = examineWithoutPatience({ ssimulacra: 75, contour: 3 })
    expect(examined).toMatchObject({ keeps: false, broken: ['contour'] })
    expect(examined.score).toBeUndefined()
    expect(read).not.toContain('ssimulacra')
  })

  it('measures every bound of a candidate that keeps the cheaper ones by little', () => {
    const { examined } = examineWithoutPatience({ ssimulacra: 70.5, contour: 2.35 })
    expect(examined).toMatchObject({ keeps: true, butteraugli: 1, score: 70.5 })
  })
})
