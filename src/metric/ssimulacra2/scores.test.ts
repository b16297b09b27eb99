import { describe, expect, it } from 'vitest'
import { shapeScales } from './scales.ts'
import { scoresFromSums, sumsLength, worseOf } from './scores.ts'

const perRegion = 108
const box = (left: number) => ({ left, top: 0, width: 256, height: 256 })
/** Where the Y channel's ssim 4-norm sum of the full size lies within a region. */
const fullSizeY = 6 + 3

describe('the scores', () => {
  it('cuts an image into regions of 256 px; the last ones take the rest', () => {
    expect(sumsLength(200, 200)).toBe(perRegion)
    expect(sumsLength(511, 255)).toBe(perRegion)
    expect(sumsLength(512, 1000)).toBe(2 * 3 * perRegion)
  })

  it('scores the worst region by its own pixels', () => {
    const shapes = shapeScales(512, 512, 'exact')
    const sums = new Float64Array(sumsLength(512, 512))
    expect(scoresFromSums(sums, shapes)).toMatchObject({ score: 100, worst: 100 })
    sums[2 * perRegion + fullSizeY] = 0.001
    const { score, worst, worstAt } = scoresFromSums(sums, shapes)
    expect(worst).toBeLessThan(score)
    expect(worstAt).toEqual({ left: 0, top: 256, width: 256, height: 256 })
    const alone = new Float64Array(perRegion)
    alone[fullSizeY] = 0.001
    expect(scoresFromSums(alone, shapeScales(256, 256, 'exact')).score).toBe(worst)
  })

  it('takes the worse of two in each figure', () => {
    const [here, there] = [box(0), box(256)]
    expect(worseOf({ score: 80, worst: 60, worstAt: here }, { score: 75, worst: 70, worstAt: there })).toEqual({
      score: 75,
      worst: 60,
      worstAt: here,
    })
  })
})
