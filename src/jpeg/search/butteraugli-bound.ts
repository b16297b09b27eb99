/**
 * Predicts Butteraugli's 3-norm, which takes ten times as long as SSIMULACRA 2.1: norm = exp(level) x (100 - score). The level differs
 * between images. Within one image the norm is proportional to what the score lacks of 100 (median exponent 1 on 127 images,
 * `npm run fit:jpeg`). One comparison therefore says which score keeps the bound.
 */

/** Least norm, and least lack in points: logarithms of images that are nearly equal stay finite. */
const MIN = { norm: 1e-3, lack: 0.5 } as const

const lackOf = (score: number): number => Math.max(MIN.lack, 100 - score)

/** The level of an image, ln(norm / (100 - score)), from both figures of a trial. */
export const butteraugliLevel = (score: number, norm: number): number =>
  Math.log(Math.max(MIN.norm, norm)) - Math.log(lackOf(score))

/** The score that is expected to keep the bound, from the image's level. */
export const scoreKeeping = (limit: number, level: number): number => 100 - limit / Math.exp(level)

/** Margin of a measured norm: points of score by which the trial exceeds what keeps the bound. At least 0 exactly where it is kept. */
export const butteraugliMargin = (score: number, norm: number, limit: number): number =>
  lackOf(score) * (limit / Math.max(MIN.norm, norm) - 1)
