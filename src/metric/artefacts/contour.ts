import type { WorstTile } from './colour.ts'
import { ARTEFACT_TILES } from './kernel.ts'
import { type TileGrid, tilePixels } from './tiles.ts'

/** Side of a tile as it is seen, in CSS px. */
export const CONTOUR_SIDE = 32
/** Scales a tile's mean square so that one straight step across it counts its own height: a step is felt within 4 px of it, on the mean by a third. */
const STEP_GAIN = 12

/** Corners over which a tile's sums are averaged. A tile at the right or lower edge holds up to four times as many as others; one of a tiny image counts as a whole one. */
const cornersIn = (grid: TileGrid, tile: number): number =>
  (CONTOUR_SIDE / 2) ** 2 * Math.max(1, tilePixels(grid, tile) / grid.side ** 2)

/**
 * False steps of the worst tile, as the height in sample values of one straight step across it, from the kernel's sums (tiles in
 * rows > sum of squared steps, sums of steps across and down). The first tile is number `first` of the grid. What all corners of a tile have
 * in common is a slope, and no step.
 */
export const worstContour = (sums: Float64Array, grid: TileGrid, first: number): WorstTile => {
  let worst = 0
  let tile = 0
  for (let at = 0; at < sums.length; at += ARTEFACT_TILES.values) {
    const index = at / ARTEFACT_TILES.values
    const corners = cornersIn(grid, first + index)
    const across = sums[at + 1]! / corners
    const down = sums[at + 2]! / corners
    const square = sums[at]! / corners - (across * across + down * down)
    if (square <= worst) continue
    worst = square
    tile = index
  }
  return { figure: Math.sqrt(worst * STEP_GAIN) / ARTEFACT_TILES.lumaOne, tile }
}
