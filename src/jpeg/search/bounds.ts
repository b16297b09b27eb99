/** What a file is to keep: a SSIMULACRA 2.1 score at least and, where given, Butteraugli's 3-norm at most. */
export interface QualityBounds {
  readonly score: number
  readonly butteraugli?: number
}

/** A trial's figures; the 3-norm is absent until it was compared. */
export interface BothScores {
  readonly score: number
  readonly butteraugli?: number
}

/**
 * Within one image the 3-norm goes with this power of what the score lacks of 100 (median of 127 images, `bench/jpeg-prediction.ts`):
 * one comparison tells which score keeps a bound on it.
 */
const EXPONENT = 1

/** No bound on the 3-norm asks for a higher score: from here the metrics have little to do with each other. */
const HIGHEST_NEEDED = 97

const lackOf = (score: number): number => Math.log(Math.max(0.5, 100 - score))

/** Natural logarithm of the 3-norm at a score of 99, from both figures of one trial: what images differ by. */
export const logNormAt99 = ({ score, butteraugli }: Required<BothScores>): number =>
  Math.log(Math.max(1e-3, butteraugli)) - EXPONENT * lackOf(score)

const isCompared = (trial: BothScores): trial is Required<BothScores> => trial.butteraugli !== undefined

/** Part of the limit by which the next trial is to do better, for each but the first that came out on the same side: the 3-norm is not as smooth as that. */
const MARGIN = 0.01

/** The score at which the 3-norm is `limit`, along the power through one trial or between two on either side. */
const scoreAtLimit = (limit: number, trials: readonly Required<BothScores>[], predicted: number): number => {
  const far = (trial: Required<BothScores>): number => Math.abs(Math.log(trial.butteraugli / limit))
  const [near, ...others] = trials.toSorted((a, b) => far(a) - far(b))
  if (near === undefined) return 100 - Math.exp((Math.log(limit) - predicted) / EXPONENT)
  const across = others.find((one) => one.butteraugli > limit !== near.butteraugli > limit && one.score !== near.score)
  const [slope, margin] = across === undefined ? [EXPONENT, MARGIN * others.length] : [slopeBetween(near, across), 0]
  return 100 - Math.exp(lackOf(near.score) + (Math.log(limit / near.butteraugli) - margin) / slope)
}

/** Slopes far from the usual one come of trials whose lambda differs, and are not believed. */
const slopeBetween = (a: Required<BothScores>, b: Required<BothScores>): number => {
  const slope = Math.log(a.butteraugli / b.butteraugli) / (lackOf(a.score) - lackOf(b.score))
  return Math.max(EXPONENT / 2, Math.min(EXPONENT * 2, slope))
}

/**
 * The score from which both bounds are kept, as far as is known: from the trials that were compared by Butteraugli, else from
 * `predicted`, the logarithm that `logNormAt99` would tell.
 */
export const neededScore = (bounds: QualityBounds, trials: readonly BothScores[], predicted: number): number =>
  bounds.butteraugli === undefined
    ? bounds.score
    : Math.max(
        bounds.score,
        Math.min(HIGHEST_NEEDED, scoreAtLimit(bounds.butteraugli, trials.filter(isCompared), predicted)),
      )

/** Whether a trial keeps every bound; one whose 3-norm is wanted and unknown does not. */
export const keepsBounds = (trial: BothScores, { score, butteraugli }: QualityBounds): boolean =>
  trial.score >= score &&
  (butteraugli === undefined || (trial.butteraugli !== undefined && trial.butteraugli <= butteraugli))

/** By how much a trial misses the bound it misses most, in logarithms; infinite where the 3-norm is wanted and unknown. */
export const shortfall = (trial: BothScores, { score, butteraugli }: QualityBounds): number => {
  const byScore = lackOf(trial.score) - lackOf(score)
  if (butteraugli === undefined) return byScore
  return trial.butteraugli === undefined
    ? Number.POSITIVE_INFINITY
    : Math.max(byScore, Math.log(trial.butteraugli / butteraugli))
}

/** A 3-norm this far below its bound is near enough, as a part of it. */
const NORM_SLACK = 0.02

/** Points above `needed` that are near enough: `usual`, or where the 3-norm binds, what its own slack is worth. */
export const slackAt = (needed: number, bounds: QualityBounds, usual: number): number =>
  needed > bounds.score ? Math.max(usual, (NORM_SLACK * (100 - needed)) / EXPONENT) : usual
