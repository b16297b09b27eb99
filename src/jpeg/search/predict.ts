/** Predicts an image's scores and its Butteraugli level from features of its luma: linear fits (`predict.fitted.ts`). */
import { type Curve, clamp } from '../../search/curve.ts'
import type { ImageFeatures } from '../features/image-features.ts'
import { FITTED_LOG_LOSS, FITTED_LOG_NORM, FITTED_SCORES } from './predict.fitted.ts'

/** Limits of the points of score that one step of quality gains: fitted values outside are clamped. */
const SLOPES = { min: 0.1, max: 1 } as const
/** Scores that the lowest quality of the fit can reach. */
const FIRST_SCORES = { min: 20, max: 80 } as const

const linear = (constant: number, factors: readonly number[], features: ImageFeatures): number =>
  factors.reduce((sum, factor, i) => sum + factor * features[i]!, constant)

/** The expected SSIMULACRA 2.1 score by quality, rising. */
export const predictScores = (features: ImageFeatures): Curve => {
  const curve: [number, number][] = []
  for (const [quality, constant, factors] of FITTED_SCORES) {
    const before = curve.at(-1)
    const width = quality - (before?.[0] ?? quality)
    const [min, max] = before
      ? [before[1] + SLOPES.min * width, before[1] + SLOPES.max * width]
      : [FIRST_SCORES.min, FIRST_SCORES.max]
    curve.push([quality, clamp(linear(constant, factors, features), min, max)])
  }
  return curve
}

/** The expected `butteraugliLevel` of the image's trials. */
export const predictLevel = (features: ImageFeatures): number => linear(...FITTED_LOG_NORM, features)

/** At fixed tables, the score falls linearly with this power of the factor on lambda. Fitted on the photographs of FITTED_LOG_LOSS. */
const LAMBDA_POWER = -1.5

/** Distortion at a factor on lambda; 1 at a factor of 1. */
export const distortionOf = (lambdaScale: number): number => lambdaScale ** LAMBDA_POWER

/** The factor on lambda that leaves this distortion, which is above 0. */
export const lambdaScaleOf = (distortion: number): number => distortion ** (1 / LAMBDA_POWER)

/** Points of score that one unit of {@link distortionOf} costs where `score` is reached at `quality`; fitted on 32 photographs at the presets' scores. */
export const scoreLossOf = (quality: number, score: number): number => {
  const [constant, byQuality, byLack] = FITTED_LOG_LOSS
  return Math.exp(constant + byQuality * quality + byLack * Math.log(Math.max(2, 100 - score)))
}
