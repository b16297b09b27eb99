import type { ImageFeatures } from './image-features.ts'

/** The score that an image will reach by quality: points that rise in both, between and beyond which it goes straight on. */
export type ScoreCurve = readonly (readonly [quality: number, score: number])[]

/**
 * By quality, the constant and the factors on the features that give the score; fitted by `bench/jpeg-prediction.ts`. Photographs
 * that had no part in the fit were predicted within 1.9 points in the median at quality 55, within 1.1 at 88.
 */
// biome-ignore format: figures
const FITTED: readonly (readonly [quality: number, constant: number, factors: readonly number[]])[] = [
  [-20, 37.06, [-3.95, -23.75, 10.03, 1.07, -10.16, -2.73]],
  [10, 48.45, [-2.90, -19.78, 4.43, 5.73, -8.79, -2.17]],
  [35, 59.20, [-2.98, -17.46, 0.33, 11.10, -6.55, -1.73]],
  [55, 65.69, [-1.39, -17.78, -0.09, 11.81, -5.13, -1.31]],
  [70, 75.38, [-5.91, -11.68, 0.93, 12.10, -4.00, -1.00]],
  [80, 78.08, [-12.59, -1.43, 5.52, 5.99, -2.59, -0.39]],
  [88, 88.78, [-10.91, 1.25, 5.06, 3.86, -1.97, -0.39]],
  [94, 98.58, [-7.91, 1.23, 4.40, 2.75, -1.64, -0.45]],
]

/** Points of score a quality gains at the least and at the most. */
const FLATTEST = 0.1
const STEEPEST = 1

/** Predicts an image's curve from its features. What the fit says of unusual images is bent to rise, and to be a score. */
export const predictScores = (features: ImageFeatures): ScoreCurve => {
  const curve: [number, number][] = []
  for (const [quality, constant, factors] of FITTED) {
    const score = factors.reduce((sum, factor, i) => sum + factor * features[i]!, constant)
    const before = curve.at(-1)
    const [least, most] = before
      ? [before[1] + FLATTEST * (quality - before[0]), before[1] + STEEPEST * (quality - before[0])]
      : [20, 80]
    curve.push([quality, Math.max(least, Math.min(most, score))])
  }
  return curve
}

/** The constant and the factors on the features that give Butteraugli's 3-norm, as `logNormAt99` puts it; within 4.3 % in the median, 14 % in nine of ten. */
const FITTED_NORM: readonly [constant: number, factors: readonly number[]] = [
  -2.5697,
  [0.0717, -0.302, -0.1025, 0.2436, -0.2589, -0.0531],
]

/** Predicts what `logNormAt99` will tell of an image's trials. */
export const predictLogNorm = (features: ImageFeatures): number =>
  FITTED_NORM[1].reduce((sum, factor, i) => sum + factor * features[i]!, FITTED_NORM[0])

const along = (curve: ScoreCurve, from: 0 | 1, to: 0 | 1, at: number): number => {
  const after = curve.findIndex((point) => point[from] >= at)
  const end = after < 0 ? curve.length - 1 : Math.max(1, after)
  const [a, b] = [curve[end - 1]!, curve[end]!]
  return a[to] + ((b[to] - a[to]) * (at - a[from])) / (b[from] - a[from])
}

/** The score predicted at a quality. */
export const scoreAt = (curve: ScoreCurve, quality: number): number => along(curve, 0, 1, quality)

/** The quality at which a score is predicted. */
export const qualityAt = (curve: ScoreCurve, score: number): number => along(curve, 1, 0, score)

/** What lambda leaves of the distortion that choosing bits does: in this the score falls in a straight line, at held first-pass statistics. */
export const distortionOf = (lambdaScale: number): number => lambdaScale ** -1.5

/** The lambda that leaves so much distortion. */
export const lambdaScaleOf = (distortion: number): number => distortion ** (-1 / 1.5)

/** Points of score that one unit of distortion costs where `score` is reached at `quality`: as it was measured on 32 photographs at the scores of the presets. */
export const scoreLossOf = (quality: number, score: number): number =>
  Math.exp(-3.3443 + 0.0061 * quality + 1.1877 * Math.log(Math.max(2, 100 - score)))
