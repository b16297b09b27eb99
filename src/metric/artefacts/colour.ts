import { ciede2000, mostCiede2000Squared } from './ciede2000.ts'
import { ARTEFACT_TILES } from './kernel.ts'
import { labOf, tangentAt, whiteSharesOf } from './lab.ts'
import { type TileGrid, tilePixels, tilesIn } from './tiles.ts'

/** Side of a tile as it is seen, in CSS px: 0.4 degrees at arm's length, what colour is seen in. */
export const COLOUR_SIDE = 16

/** Mean colours of a reference's tiles, three figures a tile. */
export interface TileColours {
  readonly grid: TileGrid
  /** The kernel's sums of light. */
  readonly sums: Float64Array
  /** X, Y and Z in terms of white's. */
  readonly shares: Float64Array
  /** By share: `tangentAt` it. */
  readonly slopes: Float64Array
  readonly bends: Float64Array
}

/** The mean of a tile's linear light. */
const lightIn = (
  sums: Float64Array,
  grid: TileGrid,
  tile: number,
): readonly [red: number, green: number, blue: number] => {
  const at = tile * ARTEFACT_TILES.values
  const pixels = tilePixels(grid, tile)
  return [sums[at]! / pixels, sums[at + 1]! / pixels, sums[at + 2]! / pixels]
}

/**
 * The mean colour of each tile, from the kernel's sums of light. Means are taken in linear light: that is what an eye too far away to
 * see single pixels receives, so that a dither is as light as the tone it stands for.
 */
export const tileColours = (sums: Float64Array, grid: TileGrid): TileColours => {
  const figures = (): Float64Array => new Float64Array(tilesIn(grid) * ARTEFACT_TILES.values)
  const [shares, slopes, bends] = [figures(), figures(), figures()]
  for (let tile = 0, at = 0; at < shares.length; tile++, at += ARTEFACT_TILES.values) {
    const [x, y, z] = whiteSharesOf(...lightIn(sums, grid, tile))
    shares[at] = x
    shares[at + 1] = y
    shares[at + 2] = z
  }
  for (let at = 0; at < shares.length; at++) {
    const { slope, bend } = tangentAt(shares[at]!)
    slopes[at] = slope
    bends[at] = bend
  }
  return { grid, sums, shares, slopes, bends }
}

/** A figure of the worst tile, and its index. */
export interface WorstTile {
  readonly figure: number
  readonly tile: number
}

/** Upper bound of CIEDE2000's square between a reference's tile and other shares, by tangents of CIELAB's curve: it needs no cube root. */
const mostShiftSquared = (
  { shares, slopes, bends }: TileColours,
  at: number,
  [x, y, z]: readonly [number, number, number],
): number => {
  const [x0, y0, z0] = [shares[at]!, shares[at + 1]!, shares[at + 2]!]
  if (x < x0 / 2 || y < y0 / 2 || z < z0 / 2) return Number.POSITIVE_INFINITY
  const [dx, dy, dz] = [x - x0, y - y0, z - z0]
  const [byX, byY, byZ] = [slopes[at]! * dx, slopes[at + 1]! * dy, slopes[at + 2]! * dz]
  // The curve lies below its tangents, by at most this.
  const [belowX, belowY, belowZ] = [bends[at]! * dx * dx, bends[at + 1]! * dy * dy, bends[at + 2]! * dz * dz]
  return mostCiede2000Squared(
    116 * (Math.abs(byY) + belowY),
    500 * (Math.abs(byX - byY) + Math.max(belowX, belowY)),
    200 * (Math.abs(byY - byZ) + Math.max(belowY, belowZ)),
  )
}

/** The largest shift (CIEDE2000) of a reference's tiles, from tile `first` up to `beyond`, from a candidate's sums of light. */
export const largestShift = (
  reference: TileColours,
  sums: Float64Array,
  [first, beyond]: readonly [number, number],
): WorstTile => {
  const { grid } = reference
  let [figure, worst] = [0, first]
  for (let tile = first; tile < beyond; tile++) {
    const light = lightIn(sums, grid, tile)
    if (mostShiftSquared(reference, tile * ARTEFACT_TILES.values, whiteSharesOf(...light)) <= figure * figure) continue
    const shift = ciede2000(labOf(...lightIn(reference.sums, grid, tile)), labOf(...light))
    if (shift > figure) [figure, worst] = [shift, tile]
  }
  return { figure, tile: worst - first }
}
