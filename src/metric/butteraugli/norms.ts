import type { Box } from '../../core/image.ts'

/** Butteraugli distances: 0 is identical, about 1 is where most people begin to see a difference; lower is better. */
export interface ButteraugliScores {
  /** The 3-norm as libjxl's `butteraugli_main` prints it: the mean of the map's 3-, 6- and 12-norm. */
  readonly norm3: number
  /** The largest distance of any pixel. */
  readonly maximum: number
  /** The largest 3-norm of any square of 64 px, laid every 32 px. */
  readonly worstTile: number
  /** Where that square lies. */
  readonly worstAt: Box
}

/** Tiles of the kernel. */
export const BUTTERAUGLI_TILE = {
  /** px; the last tile of a row or column takes the rest. */
  side: 32,
  /** Doubles of each: sums of the 3rd, 6th and 12th powers, and the maximum. */
  norms: 4,
} as const

/** Number of tiles along a side of `length` px. */
export const tilesAlong = (length: number): number => Math.max(1, Math.floor(length / BUTTERAUGLI_TILE.side))

/** Tiles that the kernel pools for an image of width x height px. */
export const tileCount = (width: number, height: number): number => tilesAlong(width) * tilesAlong(height)

/** Mean of the three norms, from sums of powers over `pixels` pixels. */
const normOf = ({ third, sixth, twelfth }: Powers, pixels: number): number =>
  ((third / pixels) ** (1 / 3) + (sixth / pixels) ** (1 / 6) + (twelfth / pixels) ** (1 / 12)) / 3

/** Sums of powers. */
interface Powers {
  readonly third: number
  readonly sixth: number
  readonly twelfth: number
}

/** A rectangle of tiles: the first column and row, and the first ones beyond. */
interface TileSpan {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** Sum of the doubles with this index over a span of tiles: 0 the 3rd powers, 1 the 6th, 2 the 12th. */
const sumOf = (index: number, tiles: Float64Array, across: number, { left, top, right, bottom }: TileSpan): number => {
  let sum = 0
  for (let row = top; row < bottom; row++) {
    const end = (row * across + right) * BUTTERAUGLI_TILE.norms
    for (let at = (row * across + left) * BUTTERAUGLI_TILE.norms; at < end; at += BUTTERAUGLI_TILE.norms)
      sum += tiles[at + index]!
  }
  return sum
}

/** Pixels from the first tile up to the first beyond, of `count` tiles along a side of `length` px. */
const extentOf = (first: number, beyond: number, count: number, length: number): number =>
  (beyond === count ? length : beyond * BUTTERAUGLI_TILE.side) - first * BUTTERAUGLI_TILE.side

const largestOf = (tiles: Float64Array): number => {
  let largest = 0
  for (let at = 3; at < tiles.length; at += BUTTERAUGLI_TILE.norms) if (tiles[at]! > largest) largest = tiles[at]!
  return largest
}

/** The scores of an image of width x height px from the kernel's tiles (in rows > sums of 3rd, 6th, 12th powers, maximum). */
export const scoresFromTiles = (tiles: Float64Array, width: number, height: number): ButteraugliScores => {
  const across = tilesAlong(width)
  const down = tilesAlong(height)
  const boxOf = ({ left, top, right, bottom }: TileSpan): Box => ({
    left: left * BUTTERAUGLI_TILE.side,
    top: top * BUTTERAUGLI_TILE.side,
    width: extentOf(left, right, across, width),
    height: extentOf(top, bottom, down, height),
  })
  const pixelsOf = ({ left, top, right, bottom }: TileSpan): number =>
    extentOf(left, right, across, width) * extentOf(top, bottom, down, height)
  const powersOf = (span: TileSpan): Powers => ({
    third: sumOf(0, tiles, across, span),
    sixth: sumOf(1, tiles, across, span),
    twelfth: sumOf(2, tiles, across, span),
  })
  const whole = { left: 0, top: 0, right: across, bottom: down }
  let worstTile = -1
  let worst = whole
  // The 12-norm is at least the mean of the three norms. A square whose 12-norm is below the worst distance cannot be worse.
  let worstTwelfth = -1
  for (let top = 0; top < Math.max(1, down - 1); top++) {
    for (let left = 0; left < Math.max(1, across - 1); left++) {
      const square = { left, top, right: Math.min(across, left + 2), bottom: Math.min(down, top + 2) }
      const pixels = pixelsOf(square)
      if (sumOf(2, tiles, across, square) < worstTwelfth * pixels) continue
      const distance = normOf(powersOf(square), pixels)
      if (distance <= worstTile) continue
      worstTile = distance
      worst = square
      worstTwelfth = distance ** 12
    }
  }
  return { norm3: normOf(powersOf(whole), width * height), maximum: largestOf(tiles), worstTile, worstAt: boxOf(worst) }
}
