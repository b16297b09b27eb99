import type { ImageFeatures } from './image-features.ts'

/** The score that an image will reach by quality: points that rise in both, between and beyond which it goes straight on. */
export type ScoreCurve = readonly (readonly [quality: number, score: number])[]

/**
 * By quality, the constant and the factors on the features that give the score; fitted by `bench/jpeg-prediction.ts`. Photographs
 * that had no part in the fit were predicted within 1.8 points in the median at quality 55, within 1 at 88.
 */
// biome-ignore format: figures
const FITTED: readonly (readonly [quality: number, constant: number, factors: readonly number[]])[] = [
  [-20, 32.77, [-1.08, -21.91, 8.31, -1.21, -9.34, -2.27]],
  [10, 40.77, [-0.76, -19.95, 3.54, 4.21, -9.15, -1.68]],
  [35, 46.85, [-1.41, -19.31, 0.93, 9.76, -6.91, -0.95]],
  [55, 57.06, [-1.55, -18.06, 0.67, 11.00, -6.11, -0.71]],
  [70, 69.91, [-5.98, -10.73, 1.52, 10.84, -3.82, -0.49]],
  [80, 75.57, [-11.89, -2.28, 5.31, 6.57, -2.31, -0.11]],
  [88, 87.19, [-11.00, 0.61, 5.24, 4.80, -2.15, -0.16]],
  [94, 94.01, [-8.16, 1.10, 4.35, 3.12, -1.62, -0.13]],
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

/** The constant and the factors on the features that give Butteraugli's 3-norm, as `logNormAt99` puts it; within 3.3 % in the median, 13 % in nine of ten. */
const FITTED_NORM: readonly [constant: number, factors: readonly number[]] = [
  -2.7365,
  [0.0751, -0.2951, -0.1015, 0.2308, -0.269, -0.0416],
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

/**
 * Points of score that one unit of distortion costs where `score` is reached at `quality`: as it was measured on 127 images (`bench/jpeg-prediction.ts`), times
 * 1.3: since the tables were fitted anew, second trials at the same tables moved so much farther (67 photographs, in the median: 1.3 to 1.6 at medium, 1.2 at high, 1.2 to 1.6 at low).
 */
export const scoreLossOf = (quality: number, score: number): number =>
  Math.exp(-4.8337 + 0.0165 * quality + 1.4089 * Math.log(Math.max(2, 100 - score)))
