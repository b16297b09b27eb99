/**
 * One continuous strength in place of two parameters: the place in the family of quantisation tables, and the factor on lambda.
 * The strength is the quality of the tables at the usual lambda: larger is finer. Lambda weighs the error, so that a larger one keeps more.
 * Where tables within REACH were tried, they stay and lambda alone changes: the score follows lambda smoothly, while steps of tables are
 * whole numbers and make it jump by up to half a point (lab/jpeg-encoder.md).
 */
import { type Curve, valueAt } from '../../search/curve.ts'
import { distortionOf, lambdaScaleOf, scoreLossOf } from './predict.ts'

/** Tables that were tried at the usual lambda, and the score that they reached. */
export interface TriedTables {
  readonly quality: number
  readonly score: number
}

/** The finest tables: every step is 1. Strengths above change lambda alone. */
export const FINEST_QUALITY = 99.5
/** The largest strength: beyond it lambda hardly changes a coefficient. */
export const MAX_STRENGTH = 108
/** Above the finest tables this much strength doubles lambda. */
const DOUBLES_LAMBDA = 4

/** Factor on lambda at new tables, and the range that costs no bytes at equal score (lab/jpeg-encoder.md). */
const LAMBDA_SCALE = { usual: 1.2, min: 0.85, max: 2.6 } as const
/** Strength on either side of tried tables that lambda alone covers: about one point of score. */
const REACH = 2

/** The factor on lambda that moves the score of tried tables by `points`; not a number where none does. */
const lambdaScaleFor = ({ quality, score }: TriedTables, points: number): number =>
  lambdaScaleOf(distortionOf(LAMBDA_SCALE.usual) - points / scoreLossOf(quality, score))

/** Tables and lambda of a strength. `curve` is the expected score by quality. */
export const parametersAt = (
  strength: number,
  tried: readonly TriedTables[],
  curve: Curve,
): { readonly quality: number; readonly lambdaScale: number } => {
  const distance = ({ quality }: TriedTables): number => Math.abs(quality - strength)
  const near = tried.filter((one) => distance(one) <= REACH).toSorted((a, b) => distance(a) - distance(b))[0]
  const lambdaScale = near && lambdaScaleFor(near, valueAt(curve, strength) - valueAt(curve, near.quality))
  if (near && lambdaScale! > LAMBDA_SCALE.min && lambdaScale! < LAMBDA_SCALE.max)
    return { quality: near.quality, lambdaScale: lambdaScale! }
  const quality = Math.min(strength, FINEST_QUALITY)
  return { quality, lambdaScale: LAMBDA_SCALE.usual * 2 ** ((strength - quality) / DOUBLES_LAMBDA) }
}
