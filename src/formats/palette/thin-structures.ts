/**
 * Rims and strokes of drawings: pixels one or two wide between flat areas, which means over tiles cannot see. A rim mixes the colours of
 * its two sides (antialiasing); a stroke has a colour of its own. A palette that snaps either to a side makes steps or gaps.
 */
import type { Extent } from '../../core/image.ts'
import { chromaDistance, distanceOf, histogramPoints, toPoints } from './cluster.ts'
import type { Histogram } from './histogram.ts'
import type { Indexed } from './remap.ts'

/** Distance (in point units) up to which two pixels of a side count as flat: five levels of grey. Calibrated by eye. */
const FLAT = 6
/** Distance (in point units) from both sides at which a pixel is a rim or a stroke: fifteen levels of grey. Calibrated by eye. */
const CONTRAST = 18
/** Side in px of the tiles in which changed pixels are counted: about what one look takes in at arm's length. */
const TILE = 16
/** Changed pixels in a tile from which steps and gaps are visible. Calibrated by eye on charts and icons. */
const MAX_CHANGED = 10
/** Share of its contrast by which a rim or a stroke may change before it is lost to a side. Calibrated by eye; it grows above SHARE_AT. */
const MAX_SHARE = 0.75
/** The `visible` at which MAX_SHARE was calibrated. */
const SHARE_AT = 40
/** Share of `visible` by which chroma alone may change: a brown line must not turn red. Calibrated by eye. */
const CHROMA_SHARE = 0.45
/** Pixels from a structure's pixel to the first pixel of each side: structures are up to two pixels wide. */
const SIDES: readonly (readonly [before: number, after: number])[] = [
  [1, 1],
  [1, 2],
  [2, 1],
]
/** Reach in px of the test: the farther pixel of the farther side. */
const REACH = 3

/** The pixels of rims and strokes. */
export interface ThinStructures {
  /** Their positions, rising. */
  readonly positions: Uint32Array
  /** For each the distance (in point units) to the nearer of its sides. */
  readonly contrasts: Float32Array
}

/**
 * Finds the pixels of rims and strokes: those between two flat sides, across any of four directions, that differ from both. The outer step of a
 * wider rim or of a soft shadow counts too: one side is flat, and the pixel lies between both in colour.
 */
export const findThinStructures = ({ width, height }: Extent, { entries, colours }: Histogram): ThinStructures => {
  const points = toPoints(colours)
  // Squared, as all distances here.
  const distance = (a: number, b: number): number => distanceOf(points, entries[a]!, points, entries[b]!)
  const isFlat = (a: number, b: number): boolean => entries[a] === entries[b] || distance(a, b) <= FLAT ** 2
  /** The contrast along one direction where it exceeds `least` and CONTRAST, else `least`. Most pixels take two distances. */
  const contrastAlong = (at: number, step: number, least: number): number => {
    let most = least
    for (let i = 0; i < SIDES.length; i += 1) {
      const [before, after] = SIDES[i]!
      const [a, b] = [at - before * step, at + after * step]
      const toBefore = distance(at, a)
      if (toBefore < CONTRAST ** 2 || toBefore <= most) continue
      const toAfter = distance(at, b)
      if (toAfter < CONTRAST ** 2 || toAfter <= most) continue
      const isFlatBefore = isFlat(a, a - step)
      const isFlatAfter = isFlat(b, b + step)
      const isRim = isFlatBefore && isFlatAfter
      const isOuterStep =
        before + after === 2 && (isFlatBefore || isFlatAfter) && Math.max(toBefore, toAfter) < distance(a, b)
      if (isRim || isOuterStep) most = Math.min(toBefore, toAfter)
    }
    return most
  }
  const [right, down] = [1, width]
  const directions = [right, down, down + right, down - right]
  const positions: number[] = []
  const contrasts: number[] = []
  for (let y = REACH; y < height - REACH; y += 1) {
    for (let at = y * width + REACH; at < (y + 1) * width - REACH; at += 1) {
      const entry = entries[at]
      if (entries[at - right] === entry && entries[at + right] === entry && entries[at + down] === entry) continue
      let contrast = 0
      for (const step of directions) contrast = contrastAlong(at, step, contrast)
      if (contrast === 0) continue
      positions.push(at)
      contrasts.push(Math.sqrt(contrast))
    }
  }
  return { positions: Uint32Array.from(positions), contrasts: Float32Array.from(contrasts) }
}

/**
 * Returns whether an indexed image breaks rims or strokes: more than a few of their pixels in one tile have a colour error above a limit. The
 * limits are `visible` (in point units), a share of it in chroma, and a share of their contrast.
 */
export const breaksThinStructures = (
  { width, height, table, indices }: Indexed,
  { histogram, thin }: { readonly histogram: Histogram; readonly thin: ThinStructures },
  visible: number,
): boolean => {
  const points = histogramPoints(histogram)
  const targets = toPoints(table)
  const share = MAX_SHARE * Math.max(1, visible / SHARE_AT)
  const isChanged = (at: number, contrast: number): boolean => {
    const [entry, shown] = [histogram.entries[at]!, indices[at]!]
    const limit = Math.min(visible, contrast * share)
    return (
      distanceOf(points, entry, targets, shown) > limit ** 2 ||
      chromaDistance(points, entry, targets, shown) > (visible * CHROMA_SHARE) ** 2
    )
  }
  const across = Math.ceil(width / TILE)
  const changed = new Uint16Array(across * Math.ceil(height / TILE))
  return thin.positions.some((at, i) => {
    if (!isChanged(at, thin.contrasts[i]!)) return false
    const tile = Math.floor(at / width / TILE) * across + Math.floor((at % width) / TILE)
    changed[tile]! += 1
    return changed[tile]! > MAX_CHANGED
  })
}
