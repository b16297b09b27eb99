import type { Traits } from './traits.ts'

/** The score that an image will reach by quality: points that rise in both, between and beyond which it goes straight on. */
export type Curve = readonly (readonly [quality: number, score: number])[]

/**
 * By quality, the constant and the factors on the traits that give the score; fitted by `bench/jpeg-foresight.ts`. Photographs
 * that had no part in the fit were foreseen within 1.3 points in the median at quality 70, within 1 at 80.
 */
// biome-ignore format: figures
const fitted: readonly (readonly [quality: number, constant: number, factors: readonly number[]])[] = [
  [-20, 59.35, [-3.54, -26.64, 12.66, 5.76, -10.50, -2.27]],
  [10, 55.99, [-3.01, -22.49, 8.68, 6.26, -9.90, -1.39]],
  [35, 57.08, [-3.06, -19.14, 5.25, 7.61, -8.07, -0.97]],
  [55, 62.02, [-3.86, -14.93, 2.17, 9.24, -6.29, -0.78]],
  [70, 70.32, [-7.66, -8.33, 2.48, 8.89, -4.36, -0.55]],
  [80, 75.54, [-11.56, -1.95, 4.40, 6.31, -3.02, -0.31]],
  [88, 88.59, [-11.35, 0.78, 5.18, 4.60, -1.69, -0.41]],
  [94, 95.35, [-8.17, 1.04, 4.31, 2.94, -0.99, -0.33]],
]

/** Where nothing is known of an image: the corpus' photographs on average. */
export const usualCurve: Curve = [
  [-20, 47],
  [10, 57],
  [35, 63.5],
  [55, 69.5],
  [70, 75],
  [80, 80],
  [88, 85.5],
  [94, 90],
]

/** Points of score a quality gains at the least and at the most. */
const flattest = 0.1
const steepest = 1

/** Foresees an image's curve from its traits. What the fit says of unusual images is bent to rise, and to be a score. */
export const foresee = (traits: Traits): Curve => {
  const curve: [number, number][] = []
  for (const [quality, constant, factors] of fitted) {
    const score = factors.reduce((sum, factor, i) => sum + factor * traits[i]!, constant)
    const before = curve.at(-1)
    const [least, most] = before
      ? [before[1] + flattest * (quality - before[0]), before[1] + steepest * (quality - before[0])]
      : [25, 75]
    curve.push([quality, Math.max(least, Math.min(most, score))])
  }
  return curve
}

const along = (curve: Curve, from: 0 | 1, to: 0 | 1, at: number): number => {
  const after = curve.findIndex((point) => point[from] >= at)
  const end = after < 0 ? curve.length - 1 : Math.max(1, after)
  const [a, b] = [curve[end - 1]!, curve[end]!]
  return a[to] + ((b[to] - a[to]) * (at - a[from])) / (b[from] - a[from])
}

/** The score foreseen at a quality. */
export const scoreAt = (curve: Curve, quality: number): number => along(curve, 0, 1, quality)

/** The quality at which a score is foreseen. */
export const qualityAt = (curve: Curve, score: number): number => along(curve, 1, 0, score)

/** Points that a first attempt, which has no lessons yet, would score more with them: the median of 123 images by quality. */
export const liftAt = (quality: number): number => Math.max(0.1, Math.min(1.1, 1.1 - 0.011 * quality))

/** What strictness leaves of the harm that choosing bits does: in this the score falls in a straight line, at held lessons. */
export const harmOf = (strictness: number): number => strictness ** -1.5

/** The strictness that leaves so much harm. */
export const strictnessOf = (harm: number): number => harm ** (-1 / 1.5)

/**
 * Points of score that one unit of harm costs where `score` is reached at `quality`: within a fifth of what was measured, in the
 * median of 27 images at five qualities and six strictnesses.
 */
export const costOfHarm = (quality: number, score: number): number =>
  Math.exp(-6.78 + 0.0107 * quality + 2.1 * Math.log(Math.max(2, 100 - score)))
