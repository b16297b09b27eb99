/**
 * A surrogate for the bound on Butteraugli's 3-norm, which takes ten times as long as SSIMULACRA 2.1. Within one image the norm is about
 * proportional to what the score lacks of 100 (the median power is 1 on 127 images, `bench/jpeg-prediction.ts`). One comparison
 * therefore says which score keeps the bound.
 */

const lackOf = (score: number): number => Math.max(0.5, 100 - score)

/** Natural logarithm of the norm at a score of 99, from both figures of a trial. Images differ in this level. */
export const butteraugliLevel = (score: number, norm: number): number =>
  Math.log(Math.max(1e-3, norm)) - Math.log(lackOf(score))

/** The score that is expected to keep the bound, from the image's level. */
export const scoreKeeping = (limit: number, level: number): number => 100 - limit / Math.exp(level)

/** Margin of a measured norm: points of score by which the trial exceeds what keeps the bound. At least 0 exactly where it is kept. */
export const butteraugliMargin = (score: number, norm: number, limit: number): number =>
  lackOf(score) * (limit / Math.max(1e-3, norm) - 1)
