import type { AnyRaster } from '../../core/image.ts'
import type { Density } from '../../core/units.ts'
import type { WorstTile } from './colour.ts'
import { gridOf, type TileGrid, tilesIn } from './tiles.ts'

/** Side of a tile as it is seen, in CSS px: halved chroma bleeds two or three px far. */
export const BLEEDING_SIDE = 4
/** Levels of any channel by which the pixels of a plain tile differ from its first at most. */
const PLAIN = 5
/** Tiles that may be off by more: so many, and such a share of all. */
const FEW = 12
const SHARE = 0.0005
/** Chroma that is minded as much as a false step of one sample value in luma. */
const CHROMA_OF_STEP = 6.4
/** Shifts are told apart by 1/4, up to 128. */
const BINS_PER_UNIT = 4
const BINS = 128 * BINS_PER_UNIT

/** Steps count for less in the dark: sample values 0..255 between sRGB's and linear light. */
const BRIGHTNESS = Float64Array.from({ length: 256 }, (_, value) => 255 * (value / 255) ** 1.25)

/** Where the reference is plain, and its chroma there. */
export interface PlainTiles {
  readonly grid: TileGrid
  /** Places of the tiles in the grid. */
  readonly tiles: Uint32Array
  /** Two a tile: the sums of red less luma and blue less luma, premultiplied. */
  readonly chroma: Float64Array
}

/** Whether all pixels of a tile, whose first sample is at `first`, are about alike. */
const isPlain = ({ data, width, channels }: AnyRaster, first: number, side: number): boolean => {
  for (let y = 0; y < side; y += 1) {
    let at = first + y * width * channels
    for (let x = 0; x < side; x += 1)
      for (let c = 0; c < channels; c += 1, at += 1) if (Math.abs(data[at]! - data[first + c]!) > PLAIN) return false
  }
  return true
}

/** Writes the chroma of a tile whose first sample is at `first`. That of grey is 0; what is transparent has as little as it shows, on black and on white alike. */
const addChroma = (
  { data, width, channels }: AnyRaster,
  first: number,
  side: number,
  into: Float64Array,
  to: number,
): void => {
  let red = 0
  let green = 0
  let blue = 0
  for (let y = 0; y < side; y += 1) {
    const row = first + y * width * channels
    for (let at = row; at < row + side * channels; at += channels) {
      const alpha = channels === 4 ? data[at + 3]! / 255 : 1
      red += BRIGHTNESS[data[at]!]! * alpha
      green += BRIGHTNESS[data[at + 1]!]! * alpha
      blue += BRIGHTNESS[data[at + 2]!]! * alpha
    }
  }
  const luma = 0.3 * red + 0.6 * green + 0.1 * blue
  into[to] = red - luma
  into[to + 1] = blue - luma
}

/** Finds the plain tiles of a reference. */
export const findPlainTiles = (reference: AnyRaster, density: Density): PlainTiles => {
  const side = BLEEDING_SIDE * density
  const grid = gridOf(reference, side)
  const tiles = new Uint32Array(tilesIn(grid))
  let count = 0
  if (reference.width >= side && reference.height >= side)
    for (let tile = 0; tile < tiles.length; tile += 1)
      if (isPlain(reference, firstSample(reference, grid, tile), side)) tiles[count++] = tile
  const plain = tiles.slice(0, count)
  return { grid, tiles: plain, chroma: chromaOf(reference, grid, plain) }
}

const firstSample = ({ width, channels }: AnyRaster, { side, across }: TileGrid, tile: number): number =>
  (Math.floor(tile / across) * side * width + (tile % across) * side) * channels

const chromaOf = (image: AnyRaster, grid: TileGrid, tiles: Uint32Array): Float64Array => {
  const chroma = new Float64Array(tiles.length * 2)
  if (image.channels >= 3)
    for (let at = 0; at < tiles.length; at += 1)
      addChroma(image, firstSample(image, grid, tiles[at]!), grid.side, chroma, at * 2)
  return chroma
}

/**
 * Colour that bled into plain places, as halved chroma does around saturated things, in sample values of a false step: the shift of
 * mean chroma that all tiles of 4 px but a few stay below, and the tile that is farthest off.
 */
export const worstBleeding = ({ grid, tiles, chroma }: PlainTiles, candidate: AnyRaster): WorstTile => {
  const shown = chromaOf(candidate, grid, tiles)
  const counts = new Uint32Array(BINS)
  const unit = BINS_PER_UNIT / grid.side ** 2
  let [farthest, tile] = [0, 0]
  for (let at = 0; at < tiles.length; at += 1) {
    const red = chroma[at * 2]! - shown[at * 2]!
    const blue = chroma[at * 2 + 1]! - shown[at * 2 + 1]!
    const shift = unit * Math.sqrt(red * red + blue * blue)
    const bin = Math.min(BINS - 1, Math.floor(shift))
    counts[bin] = counts[bin]! + 1
    if (shift <= farthest) continue
    farthest = shift
    tile = tiles[at]!
  }
  let off = FEW + Math.floor(SHARE * tilesIn(grid))
  let bin = BINS - 1
  while (bin > 0 && off >= counts[bin]!) {
    off -= counts[bin]!
    bin -= 1
  }
  return { figure: bin / BINS_PER_UNIT / CHROMA_OF_STEP, tile }
}
