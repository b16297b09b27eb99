import { ciede2000, mostCiede2000Squared } from './ciede2000.ts'
import { VALUES_PER_TILE } from './kernel.ts'
import { type Lab, labOf } from './lab.ts'
import { type TileGrid, tileBox, tilesIn } from './tiles.ts'

/** Side of a tile as it is seen, in CSS px: 0.4 degrees at arm's length, what colour is seen in. */
export const COLOUR_SIDE = 16

/**
 * The mean colour of each tile, from the kernel's sums of light. Means are taken in linear light: that is what an eye too far away to
 * see single pixels receives, so that a dither is as light as the tone it stands for.
 */
export const tileColours = (sums: Float64Array, grid: TileGrid): readonly Lab[] =>
  Array.from({ length: tilesIn(grid) }, (_, tile) => {
    const { width, height } = tileBox(grid, tile)
    const pixels = width * height
    const at = tile * VALUES_PER_TILE
    return labOf(sums[at]! / pixels, sums[at + 1]! / pixels, sums[at + 2]! / pixels)
  })

/** A figure of the worst tile, and its index. */
export interface WorstTile {
  readonly figure: number
  readonly tile: number
}

/** The largest shift (CIEDE2000) between two images' tiles. */
export const largestShift = (one: readonly Lab[], other: readonly Lab[]): WorstTile => {
  let [figure, tile] = [0, 0]
  one.forEach((colour, index) => {
    if (mostCiede2000Squared(colour, other[index]!) <= figure * figure) return
    const shift = ciede2000(colour, other[index]!)
    if (shift > figure) [figure, tile] = [shift, index]
  })
  return { figure, tile }
}
