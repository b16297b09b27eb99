import type { ImageFeatures } from './image-features.ts'

/** The score that an image will reach by quality: points that rise in both, between and beyond which it goes straight on. */
export type ScoreCurve = readonly (readonly [quality: number, score: number])[]

/**
 * By quality, the constant and the factors on the features that give the score; fitted by `bench/jpeg-prediction.ts`. Photographs
 * that had no part in the fit were predicted within 1.2 points in the median at quality 70, within 1 at 80.
 */
// biome-ignore format: figures
const FITTED: readonly (readonly [quality: number, constant: number, factors: readonly number[]])[] = [
  [-20, 44.16, [-0.70, -32.26, 10.42, 9.57, -8.92, -1.50]],
  [10, 48.59, [-1.40, -26.18, 6.66, 9.91, -6.89, -1.13]],
  [35, 56.85, [-0.75, -22.45, 3.43, 11.24, -5.31, -0.79]],
  [55, 62.70, [-1.75, -17.92, 0.60, 12.80, -4.32, -0.50]],
  [70, 69.00, [-7.17, -9.19, 2.45, 9.82, -3.39, -0.28]],
  [80, 73.62, [-11.70, -1.18, 4.97, 5.46, -2.28, -0.06]],
  [88, 84.86, [-11.52, 2.03, 5.85, 3.10, -2.05, -0.05]],
  [94, 91.35, [-8.19, 1.96, 4.38, 2.23, -1.49, 0.03]],
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

/** The constant and the factors on the features that give Butteraugli's 3-norm, as `logNormAt99` puts it; fitted likewise. */
const FITTED_NORM: readonly [constant: number, factors: readonly number[]] = [-3.35, [0, 0, 0, 0, 0, 0]]

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

/**
 * Points of score that one unit of distortion costs where `score` is reached at `quality`: within a quarter of what was measured, in the
 * median of 188 images (`bench/jpeg-prediction.ts`).
 */
export const scoreLossOf = (quality: number, score: number): number =>
  Math.exp(-6.3725 + 0.0101 * quality + 1.9506 * Math.log(Math.max(2, 100 - score)))
