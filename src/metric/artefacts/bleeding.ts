import { ARTEFACT_TILES, type ArtefactsKernel } from './kernel.ts'

/** Side of a tile as it is seen, in CSS px: halved chroma bleeds two or three px far. */
export const BLEEDING_SIDE = 4
/** Tiles that may have a larger shift: this number, and this share of all. */
const TOLERATED = { few: 12, share: 0.0005 } as const
/** Shift of chroma that is as visible as a false step of one sample value in luma. */
const CHROMA_OF_STEP = 6.4

/** How many tiles' chroma is shifted by how much, and the tile that is farthest off. */
export interface Bleeding {
  /** Tiles by shift, in bins of 1/4 of a sample value; the last one holds all larger shifts. */
  readonly counts: Uint32Array
  /** The largest shift, in bins. */
  readonly farthest: number
  readonly tile: number
  /** Tiles looked at, plain or not. */
  readonly tiles: number
}

/** Of the candidate that a kernel was fed, from tile `first` of the grid up to `beyond`. */
export const bleedingIn = (kernel: ArtefactsKernel, [first, beyond]: readonly [number, number]): Bleeding => ({
  ...kernel.bleeding(first, beyond),
  tiles: beyond - first,
})

/**
 * Colour that bled into flat areas, as subsampled chroma does around saturated objects, in sample values of a false step. It is the shift
 * of mean chroma that all flat tiles of 4 px but a few stay below, over all parts of an image.
 */
export const bleedingFigure = (parts: readonly Omit<Bleeding, 'tile'>[]): number => {
  const tiles = parts.reduce((sum, one) => sum + one.tiles, 0)
  const countIn = (bin: number): number => parts.reduce((sum, { counts }) => sum + counts[bin]!, 0)
  let off = TOLERATED.few + Math.floor(TOLERATED.share * tiles)
  let bin = Math.min(parts[0]!.counts.length - 1, Math.floor(Math.max(...parts.map(({ farthest }) => farthest))))
  while (bin > 0 && off >= countIn(bin)) {
    off -= countIn(bin)
    bin -= 1
  }
  return bin / ARTEFACT_TILES.binsPerUnit / CHROMA_OF_STEP
}
