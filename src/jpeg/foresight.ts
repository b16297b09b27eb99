import type { Traits } from './traits.ts'

/** The score that an image will reach by quality: points that rise in both, between and beyond which it goes straight on. */
export type Curve = readonly (readonly [quality: number, score: number])[]

/**
 * By quality, the constant and the factors on the traits that give the score; fitted by `bench/jpeg-foresight.ts`. Photographs
 * that had no part in the fit were foreseen within 1.2 points in the median at quality 70, within 1 at 80.
 */
// biome-ignore format: figures
const fitted: readonly (readonly [quality: number, constant: number, factors: readonly number[]])[] = [
  [-20, 44.79, [-0.62, -33.17, 10.18, 10.25, -8.41, -1.58]],
  [10, 49.51, [-1.41, -27.03, 6.28, 10.91, -6.75, -1.21]],
  [35, 56.87, [-0.72, -22.45, 2.99, 11.40, -5.25, -0.87]],
  [55, 63.39, [-1.84, -17.89, 0.33, 12.97, -4.36, -0.62]],
  [70, 69.94, [-7.02, -9.13, 2.33, 9.66, -3.34, -0.38]],
  [80, 74.50, [-11.66, -1.23, 4.85, 5.53, -2.26, -0.15]],
  [88, 85.60, [-11.47, 1.92, 5.72, 3.25, -2.08, -0.12]],
  [94, 91.36, [-8.20, 1.91, 4.39, 2.25, -1.65, 0.03]],
]

/** Where nothing is known of an image: the corpus' photographs on average. */
export const usualCurve: Curve = [
  [-20, 48.4],
  [10, 56.8],
  [35, 64.4],
  [55, 70.5],
  [70, 76.2],
  [80, 80.6],
  [88, 85.6],
  [94, 90.1],
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
      : [20, 80]
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
  Math.exp(-6.14 + 0.0089 * quality + 1.906 * Math.log(Math.max(2, 100 - score)))
