import type { Box } from '../../core/image.ts'
import type { ScaleShape } from './scales.ts'
import { scoreOf } from './score.ts'
import { weights } from './weights.ts'

/** Scores of a candidate: of the whole, and of its worst region of about 256 x 256 px. */
export interface Ssimulacra2Scores {
  readonly score: number
  readonly worst: number
  /** Where that region lies. */
  readonly worstAt: Box
}

/** px. */
export const REGION_SIDE = 256

/** Number of regions along a side of `length` px; the last one takes the rest. */
const regionsAlong = (length: number): number => Math.max(1, Math.floor(length / REGION_SIDE))

/** Doubles that the kernel has summed for an image. */
export const sumsLength = (width: number, height: number): number =>
  regionsAlong(width) * regionsAlong(height) * weights.length

/** Pixels of region `index` of `count` along a side that is `length` px long at this scale. */
const extentOf = (index: number, count: number, length: number, scale: number): number => {
  const side = REGION_SIDE >> scale
  return index === count - 1 ? length - index * side : side
}

const addUp = (sums: Float64Array): Float64Array => {
  const whole = new Float64Array(weights.length)
  for (let first = 0; first < sums.length; first += weights.length)
    for (let i = 0; i < weights.length; i++) whole[i]! += sums[first + i]!
  return whole
}

/** Both scores from the kernel's sums (regions in rows > 6 scales > 3 channels > 6 maps). */
export const scoresFromSums = (sums: Float64Array, shapes: readonly ScaleShape[]): Ssimulacra2Scores => {
  const { width, height } = shapes[0]!
  const [across, down] = [regionsAlong(width), regionsAlong(height)]
  const scores = Array.from({ length: across * down }, (_, region) => {
    const [column, row] = [region % across, Math.floor(region / across)]
    const pixels = shapes.map(
      (shape, scale) => extentOf(column, across, shape.width, scale) * extentOf(row, down, shape.height, scale),
    )
    return scoreOf({ sums: sums.subarray(region * weights.length, (region + 1) * weights.length), pixels })
  })
  const score = scoreOf({ sums: addUp(sums), pixels: shapes.map((shape) => shape.width * shape.height) })
  const worst = Math.min(...scores)
  const [column, row] = [scores.indexOf(worst) % across, Math.floor(scores.indexOf(worst) / across)]
  const worstAt = {
    left: column * REGION_SIDE,
    top: row * REGION_SIDE,
    width: extentOf(column, across, width, 0),
    height: extentOf(row, down, height, 0),
  }
  return { score, worst: Math.min(score, worst), worstAt }
}

/** The worse of two, figure by figure. */
export const worseOf = (one: Ssimulacra2Scores, other: Ssimulacra2Scores): Ssimulacra2Scores => {
  const { worst, worstAt } = one.worst <= other.worst ? one : other
  return { score: Math.min(one.score, other.score), worst, worstAt }
}
