import { ciede2000 } from './ciede2000.ts'
import { ARTEFACT_TILES } from './kernel.ts'
import { type Lab, labOf } from './lab.ts'
import { type TileGrid, tilePixels } from './tiles.ts'

/** Side of a tile as it is seen, in CSS px: 0.4 degrees at arm's length, what colour is seen in. */
export const COLOUR_SIDE = 16

/**
 * The kernel's sums of light by tile, three a tile. Means are taken in linear light: that is what an eye too far away to see single pixels
 * receives, so that a dither is as light as the tone it stands for.
 */
export interface TileLights {
  readonly grid: TileGrid
  readonly was: Float64Array
  readonly shown: Float64Array
}

/** A figure of the worst tile, and its index. */
export interface WorstTile {
  readonly figure: number
  readonly tile: number
}

/** CIE L*a*b* of a tile's mean light. */
const tileLab = (sums: Float64Array, grid: TileGrid, tile: number): Lab => {
  const at = tile * ARTEFACT_TILES.values
  const pixels = tilePixels(grid, tile)
  return labOf(sums[at]! / pixels, sums[at + 1]! / pixels, sums[at + 2]! / pixels)
}

/**
 * The largest shift (CIEDE2000) of tiles from `first` up to `beyond`, whose squares are at most `most`. The tile that may be the worst is
 * measured first: few others may then exceed it.
 */
export const largestShift = (
  { grid, was, shown }: TileLights,
  most: Float64Array,
  [first, beyond]: readonly [number, number],
): WorstTile => {
  const shiftAt = (tile: number): number => ciede2000(tileLab(was, grid, tile), tileLab(shown, grid, tile))
  let worst = first
  for (let tile = first; tile < beyond; tile++) if (most[tile]! > most[worst]!) worst = tile
  let figure = shiftAt(worst)
  for (let tile = first; tile < beyond; tile++) {
    if (most[tile]! < figure * figure || tile === worst) continue
    const shift = shiftAt(tile)
    if (shift < figure || (shift === figure && tile > worst)) continue
    figure = shift
    worst = tile
  }
  return { figure, tile: worst - first }
}
