import { weights } from './weights.ts'

/** The maps. */
const MAPS = ['ssim', 'ringing', 'blurring'] as const
/** Pools of them: the mean of each, then the 4-norm of each, the order in which the weights run. */
const POOLS = 2 * MAPS.length

/** Sums over an image or a region: 6 scales > 3 channels (X, Y, B) > ssim, ringing, blurring, and then their 4th powers. */
export interface ScaleSums {
  readonly sums: ArrayLike<number>
  /** Pixels by scale, of those that there are. */
  readonly pixels: readonly number[]
}

/** Weighted sum of the pools from index `at` of `sums`, by the weights from index `first` on. */
const weigh = (sums: ArrayLike<number>, at: number, pixels: number, first: number): number => {
  let weighed = 0
  for (let i = 0; i < POOLS; i++) {
    const weight = weights[first + i]!
    if (weight === 0) continue
    const mean = sums[at + i]! / pixels
    weighed += weight * (i < MAPS.length ? mean : Math.sqrt(Math.sqrt(mean)))
  }
  return weighed
}

/** Distance to score: 100 is identical, 90 hardly distinguishable, 70 good, below 30 poor, without a lower end. */
const scoreFrom = (weighted: number): number => {
  const s = weighted * 0.9562382616834844
  const bent = 2.326765642916932 * s - 0.020884521182843837 * s ** 2 + 6.248496625763138e-5 * s ** 3
  return bent > 0 ? 100 - 10 * bent ** 0.6276336467831387 : 100
}

/**
 * The score of an image from the sums of its scales, largest scale first.
 * Fewer than six scales use up the weights in sequence, so that a small image's Y is weighed with X's later weights: the
 * reference does so, and its scores are the definition.
 */
export const scoreOf = ({ sums, pixels }: ScaleSums): number => {
  let weighted = 0
  let next = 0
  for (let channel = 0; channel < 3; channel++) {
    for (let scale = 0; scale < pixels.length; scale++) {
      weighted += weigh(sums, (scale * 3 + channel) * POOLS, pixels[scale]!, next)
      next += POOLS
    }
  }
  return scoreFrom(weighted)
}
