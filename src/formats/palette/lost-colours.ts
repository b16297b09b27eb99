import { AXES, histogramPoints, toPoints } from './cluster.ts'
import type { Histogram } from './histogram.ts'
import type { Indexed } from './remap.ts'

/** Side in px of the tiles whose mean hue is compared: a line of one or two px fills enough of one, and coloured fringes of letters cancel out. */
const SIDE = 4
/** Tiles that may be off: this number, and this share of all. */
const TOLERATED = { few: 12, share: 0.0005 } as const

/**
 * Whether an image lost the hue of thin structures, such as a line in a chart that turned grey. The mean chroma of more than a few tiles is
 * then off by more than `visible`, in the units of the points. The promise on a tile's colour averages over 16 px, where a line hardly counts.
 */
export const losesColours = (
  { width, height, table, indices }: Indexed,
  histogram: Histogram,
  visible: number,
): boolean => {
  const points = histogramPoints(histogram)
  const targets = toPoints(table)
  const across = Math.ceil(width / SIDE)
  const tiles = across * Math.ceil(height / SIDE)
  const most = Math.max(TOLERATED.few, tiles * TOLERATED.share)
  const sums = new Float32Array(across * 2)
  let off = 0
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += 1) {
      const from = histogram.entries[at]! * AXES
      const to = indices[at]! * AXES
      const tile = (x >> 2) * 2
      sums[tile]! += points[from + 1]! - targets[to + 1]!
      sums[tile + 1]! += points[from + 2]! - targets[to + 2]!
    }
    if (y % SIDE !== SIDE - 1 && y !== height - 1) continue
    off += tilesOff(sums, visible * SIDE * SIDE)
    if (off > most) return true
    sums.fill(0)
  }
  return false
}

const tilesOff = (sums: Float32Array, limit: number): number => {
  let off = 0
  for (let at = 0; at < sums.length; at += 2) if (Math.hypot(sums[at]!, sums[at + 1]!) > limit) off += 1
  return off
}
