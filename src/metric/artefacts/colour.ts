import { ciede2000, mostCiede2000Squared } from './ciede2000.ts'
import { ARTEFACT_TILES } from './kernel.ts'
import { bendAt, bendsMore, type Lab, labOf, slopeAt, xShareOf, yShareOf, zShareOf } from './lab.ts'
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
  /** By share: `slopeAt` and `bendAt` it. */
  readonly slopes: Float64Array
  readonly bends: Float64Array
}

// The loops over tiles build no arrays and objects. V8 compiles them for speed late in a child's life; until then these take most of the time.

/** X, Y and Z of the mean light of tiles from `first` up to `beyond`, in terms of white's, in the tiles' places. */
const sharesOf = (sums: Float64Array, grid: TileGrid, first: number, beyond: number): Float64Array => {
  const shares = new Float64Array(beyond * ARTEFACT_TILES.values)
  for (let tile = first; tile < beyond; tile++) {
    const at = tile * ARTEFACT_TILES.values
    const pixels = tilePixels(grid, tile)
    const red = sums[at]! / pixels
    const green = sums[at + 1]! / pixels
    const blue = sums[at + 2]! / pixels
    shares[at] = xShareOf(red, green, blue)
    shares[at + 1] = yShareOf(red, green, blue)
    shares[at + 2] = zShareOf(red, green, blue)
  }
  return shares
}

/**
 * The mean colour of each tile, from the kernel's sums of light. Means are taken in linear light: that is what an eye too far away to
 * see single pixels receives, so that a dither is as light as the tone it stands for.
 */
export const tileColours = (sums: Float64Array, grid: TileGrid): TileColours => {
  const shares = sharesOf(sums, grid, 0, tilesIn(grid))
  const slopes = new Float64Array(shares.length)
  const bends = new Float64Array(shares.length)
  for (let at = 0; at < shares.length; at++) {
    const root = Math.cbrt(shares[at]!)
    slopes[at] = slopeAt(shares[at]!, root)
    bends[at] = bendAt(root)
  }
  return { grid, sums, shares, slopes, bends }
}

/** A figure of the worst tile, and its index. */
export interface WorstTile {
  readonly figure: number
  readonly tile: number
}

/** Upper bound of CIEDE2000's square between a reference's tile, whose figures begin at `at`, and `others`, by tangents of CIELAB's curve: it needs no cube root. */
const mostShiftSquared = ({ shares, slopes, bends }: TileColours, others: Float64Array, at: number): number => {
  const dx = others[at]! - shares[at]!
  const dy = others[at + 1]! - shares[at + 1]!
  const dz = others[at + 2]! - shares[at + 2]!
  if (bendsMore(shares[at]!, dx) || bendsMore(shares[at + 1]!, dy) || bendsMore(shares[at + 2]!, dz))
    return Number.POSITIVE_INFINITY
  const byX = slopes[at]! * dx
  const byY = slopes[at + 1]! * dy
  const byZ = slopes[at + 2]! * dz
  // The curve lies below its tangents, by at most this.
  const belowX = bends[at]! * dx * dx
  const belowY = bends[at + 1]! * dy * dy
  const belowZ = bends[at + 2]! * dz * dz
  return mostCiede2000Squared(
    116 * (Math.abs(byY) + belowY),
    500 * (Math.abs(byX - byY) + Math.max(belowX, belowY)),
    200 * (Math.abs(byY - byZ) + Math.max(belowY, belowZ)),
  )
}

/** CIE L*a*b* of a tile's mean light. */
const tileLab = (sums: Float64Array, grid: TileGrid, tile: number): Lab => {
  const at = tile * ARTEFACT_TILES.values
  const pixels = tilePixels(grid, tile)
  return labOf(sums[at]! / pixels, sums[at + 1]! / pixels, sums[at + 2]! / pixels)
}

const indexOfLargest = (values: Float64Array): number => {
  let largest = 0
  for (let index = 1; index < values.length; index++) if (values[index]! > values[largest]!) largest = index
  return largest
}

/**
 * The largest shift (CIEDE2000) of a reference's tiles, from tile `first` up to `beyond`, from a candidate's sums of light. The tile that may
 * be the worst is measured first: few others may then exceed it.
 */
export const largestShift = (
  reference: TileColours,
  sums: Float64Array,
  [first, beyond]: readonly [number, number],
): WorstTile => {
  const { grid } = reference
  const shiftAt = (index: number): number =>
    ciede2000(tileLab(reference.sums, grid, first + index), tileLab(sums, grid, first + index))
  const shares = sharesOf(sums, grid, first, beyond)
  const most = new Float64Array(beyond - first)
  for (let index = 0; index < most.length; index++)
    most[index] = mostShiftSquared(reference, shares, (first + index) * ARTEFACT_TILES.values)
  let worst = indexOfLargest(most)
  let figure = shiftAt(worst)
  for (let index = 0; index < most.length; index++) {
    if (most[index]! < figure * figure || index === worst) continue
    const shift = shiftAt(index)
    if (shift < figure || (shift === figure && index > worst)) continue
    figure = shift
    worst = index
  }
  return { figure, tile: worst }
}
