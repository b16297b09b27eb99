import { ARTEFACT_TILES, type ArtefactsKernel } from './kernel.ts'
import { type TileGrid, tilesIn } from './tiles.ts'

/** Side of a tile as it is seen, in CSS px: halved chroma bleeds two or three px far. */
export const BLEEDING_SIDE = 4
/** Tiles that may have a larger shift: this number, and this share of all. */
const TOLERATED = { few: 12, share: 0.0005 } as const
/** Shift of chroma that is as visible as a false step of one sample value in luma. */
const CHROMA_OF_STEP = 6.4
/** Bins of the histogram of shifts per unit of chroma. */
const BINS_PER_UNIT = 4

/** Where the reference is plain, and its colour there. */
export interface PlainTiles {
  readonly grid: TileGrid
  /** By tile of the grid, 1 where it is plain: all pixels are about alike. None where the image is smaller than a tile. */
  readonly marks: Uint8Array
  /** Those that are, by index. */
  readonly plain: Uint32Array
  /** Three a tile: the sums of red, green and blue of its pixels, between sRGB's and linear light, premultiplied, `ARTEFACT_TILES.brightOne` for 1. */
  readonly sums: Uint32Array
}

/** The plain tiles of a reference that a kernel was fed, in a grid of tiles of 4 px as seen. */
export const plainTilesOf = (kernel: ArtefactsKernel, grid: TileGrid): PlainTiles => {
  const isSmaller = grid.width < grid.side || grid.height < grid.side
  const { marks, sums } = kernel.plain(isSmaller ? 0 : tilesIn(grid))
  return { grid, marks, sums, plain: placesOf(marks) }
}

/** Where an array holds what is not 0. */
const placesOf = (marks: Uint8Array): Uint32Array => {
  const found = new Uint32Array(marks.length)
  let count = 0
  for (let at = 0; at < marks.length; at++) {
    found[count] = at
    count += marks[at]!
  }
  return found.subarray(0, count)
}

/** Distance in chroma (red less luma, blue less luma) for a difference in red, green and blue. */
const chromaOf = (red: number, green: number, blue: number): number => {
  const luma = 0.3 * red + 0.6 * green + 0.1 * blue
  return Math.sqrt((red - luma) * (red - luma) + (blue - luma) * (blue - luma))
}

/** How many tiles' chroma is shifted by how much, and the tile that is farthest off. */
export interface Bleeding {
  /** Tiles by shift, in steps of 1/4 of a sample value, up to a shift of 128. */
  readonly counts: Uint32Array
  readonly farthest: number
  readonly tile: number
  /** Tiles looked at, plain or not. */
  readonly tiles: number
}

/** How far the chroma of plain tiles is shifted, of those from tile `first` up to `beyond`. `shown` are a candidate's sums. */
export const bleedingIn = (
  { grid, plain, sums }: PlainTiles,
  shown: Uint32Array,
  [first, beyond]: readonly [number, number] = [0, tilesIn(grid)],
): Bleeding => {
  const counts = new Uint32Array(128 * BINS_PER_UNIT)
  const unit = BINS_PER_UNIT / (ARTEFACT_TILES.brightOne * grid.side ** 2)
  let farthest = 0
  let worst = 0
  for (let i = 0; i < plain.length; i++) {
    const tile = plain[i]!
    if (tile < first || tile >= beyond) continue
    const at = tile * ARTEFACT_TILES.values
    const shift =
      unit * chromaOf(sums[at]! - shown[at]!, sums[at + 1]! - shown[at + 1]!, sums[at + 2]! - shown[at + 2]!)
    const bin = Math.min(counts.length - 1, Math.floor(shift))
    counts[bin] = counts[bin]! + 1
    if (shift <= farthest) continue
    farthest = shift
    worst = tile
  }
  return { counts, farthest, tile: worst, tiles: beyond - first }
}

/**
 * Colour that bled into flat areas, as subsampled chroma does around saturated objects, in sample values of a false step. It is the shift
 * of mean chroma that all flat tiles of 4 px but a few stay below, over all parts of an image.
 */
export const bleedingFigure = (parts: readonly Pick<Bleeding, 'counts' | 'tiles'>[]): number => {
  const tiles = parts.reduce((sum, one) => sum + one.tiles, 0)
  const countIn = (bin: number): number => parts.reduce((sum, { counts }) => sum + counts[bin]!, 0)
  let off = TOLERATED.few + Math.floor(TOLERATED.share * tiles)
  let bin = parts[0]!.counts.length - 1
  while (bin > 0 && off >= countIn(bin)) {
    off -= countIn(bin)
    bin -= 1
  }
  return bin / BINS_PER_UNIT / CHROMA_OF_STEP
}
