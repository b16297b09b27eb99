import { describe, expect, it } from 'vitest'
import { inverse, valueAt } from '../../search/curve.ts'
import { distortionOf, lambdaScaleOf, predictScores, scoreLossOf } from './predict.ts'

/** Features as `featuresOf` measures them on a photograph (kodim05) and a smooth one (a CLIC landscape). */
const busy = [-3.86, -2.89, -4.43, -3.31, 0.16, 12.88]
const smooth = [-4.4, -4.08, -4.82, -4.4, 0.01, 14]

describe('the predicted curve of an image', () => {
  it('rises with quality and can be inverted, also for features that no photograph has', () => {
    for (const features of [busy, smooth, [0, 0, 0, 0, 0, 0], [-9.2, -9.2, -9.2, -9.2, 1, 8], [3, -8, 2, -9, 0, 20]]) {
      const curve = predictScores(features)
      for (let quality = -60; quality < 99; quality++) {
        expect(valueAt(curve, quality + 1)).toBeGreaterThan(valueAt(curve, quality))
        expect(valueAt(inverse(curve), valueAt(curve, quality))).toBeCloseTo(quality, 6)
      }
    }
  })

  it('is higher for a smooth image than for a busy one at coarse tables', () => {
    expect(valueAt(predictScores(smooth), 20)).toBeGreaterThan(valueAt(predictScores(busy), 20) + 5)
  })

  it('is within three points of the measured 67.3 and 77.2 at quality 55', () => {
    expect(Math.abs(valueAt(predictScores(busy), 55) - 67.3)).toBeLessThan(3)
    expect(Math.abs(valueAt(predictScores(smooth), 55) - 77.2)).toBeLessThan(3)
  })
})

describe('the scale of lambda', () => {
  it('takes away distortion, and each distortion has its lambda', () => {
    for (const lambdaScale of [0.7, 1, 1.2, 2.6, 64])
      expect(lambdaScaleOf(distortionOf(lambdaScale))).toBeCloseTo(lambdaScale, 9)
    expect(distortionOf(2)).toBeLessThan(distortionOf(1))
  })

  it('gains more where the score is low', () => {
    expect(scoreLossOf(55, 60)).toBeGreaterThan(1.5 * scoreLossOf(55, 75))
  })
})
