import type { Traits } from './traits.ts'

/** The score that an image will reach by quality: points that rise in both, between and beyond which it goes straight on. */
export type Curve = readonly (readonly [quality: number, score: number])[]

/**
 * By quality, the constant and the factors on the traits that give the score; fitted by `bench/jpeg-foresight.ts`. Photographs
 * that had no part in the fit were foreseen within 1.2 points in the median at quality 70, within 0.9 at 80.
 */
// biome-ignore format: figures
const fitted: readonly (readonly [quality: number, constant: number, factors: readonly number[]])[] = [
  [-20, 59.49, [-0.92, -31.51, 9.05, 12.74, -8.41, -2.02]],
  [10, 59.34, [-0.24, -27.58, 6.05, 12.27, -7.58, -1.33]],
  [35, 59.65, [-0.74, -22.93, 3.19, 12.25, -5.80, -0.85]],
  [55, 64.71, [-2.27, -18.14, 0.77, 13.23, -5.02, -0.69]],
  [70, 70.35, [-7.19, -9.59, 2.35, 10.27, -3.93, -0.39]],
  [80, 75.12, [-12.00, -1.23, 5.16, 5.53, -2.89, -0.19]],
  [88, 85.60, [-11.65, 2.13, 5.89, 3.00, -1.79, -0.14]],
  [94, 91.13, [-8.19, 1.78, 4.34, 2.35, -1.14, 0.03]],
]

/** Where nothing is known of an image: the corpus' photographs on average. */
export const usualCurve: Curve = [
  [-20, 51.5],
  [10, 59],
  [35, 65],
  [55, 70.5],
  [70, 76],
  [80, 80.5],
  [88, 85.6],
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

/** What strictness leaves of the harm that choosing bits does: in this the score falls in a straight line, at held lessons. */
export const harmOf = (strictness: number): number => strictness ** -1.5

/** The strictness that leaves so much harm. */
export const strictnessOf = (harm: number): number => harm ** (-1 / 1.5)

/**
 * Points of score that one unit of harm costs where `score` is reached at `quality`: within a quarter of what was measured, in the
 * median of 188 images (`bench/jpeg-foresight.ts`).
 */
export const costOfHarm = (quality: number, score: number): number =>
  Math.exp(-6.38 + 0.0103 * quality + 1.95 * Math.log(Math.max(2, 100 - score)))
