import { ciede2000, mostCiede2000Squared } from './ciede2000.ts'
import { ARTEFACT_TILES } from './kernel.ts'
import { type Lab, labOf } from './lab.ts'
import { type TileGrid, tilePixels, tilesIn } from './tiles.ts'

/** Side of a tile as it is seen, in CSS px: 0.4 degrees at arm's length, what colour is seen in. */
export const COLOUR_SIDE = 16

/**
 * The mean colour of each tile (L*, a*, b*), from the kernel's sums of light. Means are taken in linear light: that is what an eye too far away to
 * see single pixels receives, so that a dither is as light as the tone it stands for.
 */
export const tileColours = (sums: Float64Array, grid: TileGrid): Float64Array => {
  const colours = new Float64Array(tilesIn(grid) * ARTEFACT_TILES.values)
  for (let tile = 0, at = 0; at < colours.length; tile++, at += ARTEFACT_TILES.values) {
    const pixels = tilePixels(grid, tile)
    const { l, a, b } = labOf(sums[at]! / pixels, sums[at + 1]! / pixels, sums[at + 2]! / pixels)
    colours[at] = l
    colours[at + 1] = a
    colours[at + 2] = b
  }
  return colours
}

/** A figure of the worst tile, and its index. */
export interface WorstTile {
  readonly figure: number
  readonly tile: number
}

const colourAt = (colours: Float64Array, at: number): Lab => ({
  l: colours[at]!,
  a: colours[at + 1]!,
  b: colours[at + 2]!,
})

/** The largest shift (CIEDE2000) between two images' tiles. */
export const largestShift = (one: Float64Array, other: Float64Array): WorstTile => {
  let [figure, tile] = [0, 0]
  for (let at = 0; at < one.length; at += ARTEFACT_TILES.values) {
    const most = mostCiede2000Squared(
      one[at]! - other[at]!,
      one[at + 1]! - other[at + 1]!,
      one[at + 2]! - other[at + 2]!,
    )
    if (most <= figure * figure) continue
    const shift = ciede2000(colourAt(one, at), colourAt(other, at))
    if (shift > figure) [figure, tile] = [shift, at / ARTEFACT_TILES.values]
  }
  return { figure, tile }
}
