import type { WorstTile } from './colour.ts'
import { VALUES_PER_TILE } from './kernel.ts'

/** Side of a tile as it is seen, in CSS px. */
export const CONTOUR_SIDE = 32
/** Corners of cells (2 x 2 px) in a tile. */
const PLACES = 256
/** Scales a tile's mean square so that one straight step across it counts its own height: a step is felt within 4 px of it, on the mean by a third. */
const STEP_GAIN = 12
/** Luma comes in 1/16 of a sample value. */
const LUMA_UNITS = 16

/**
 * False steps of the worst tile, as the height in sample values of one straight step across it, from the kernel's sums (tiles in
 * rows > sum of squared steps, sums of steps across and down). What all places of a tile have in common is a slope, and no step.
 */
export const worstContour = (sums: Float64Array): WorstTile => {
  let [worst, tile] = [0, 0]
  for (let at = 0; at < sums.length; at += VALUES_PER_TILE) {
    const slope = (sums[at + 1]! ** 2 + sums[at + 2]! ** 2) / PLACES
    const square = sums[at]! - slope
    if (square > worst) [worst, tile] = [square, at / VALUES_PER_TILE]
  }
  return { figure: Math.sqrt((worst * STEP_GAIN) / PLACES) / LUMA_UNITS, tile }
}
