import type { Extent, Raster } from '../../core/image.ts'
import { distanceOf, type Palette, toPoints } from './cluster.ts'
import type { Histogram } from './histogram.ts'

/** An image as numbers of palette entries. */
export interface Indexed extends Extent {
  /** RGBA, four bytes an entry. */
  readonly table: Uint8Array
  readonly indices: Uint8Array
}

/** How freely pixels take the colour of a neighbour. */
export interface Tolerance {
  /** By how much a neighbour's colour may be farther than the nearest one, in the units of the points (1.2 is a step of one in grey). */
  readonly tolerance: number
  /** Where this is 1, none is taken. */
  readonly smooth?: Uint8Array
}

const NO_TOLERANCE: Tolerance = { tolerance: 0 }

/**
 * Gives each pixel an entry of the palette: the nearest, or the neighbour's (above, to the left) where that is not farther
 * than the nearest by more than the tolerance. Repetition is what deflate lives on.
 */
export const remap = (
  size: Extent,
  histogram: Histogram,
  palette: Palette,
  { tolerance, smooth }: Tolerance = NO_TOLERANCE,
): Indexed => {
  const { width, height } = size
  const { entries } = histogram
  const { nearest, table } = palette
  const indices = new Uint8Array(width * height)
  if (tolerance <= 0) {
    for (let at = 0; at < indices.length; at += 1) indices[at] = nearest[entries[at]!]!
    return { width, height, table, indices }
  }
  const points = toPoints(histogram.colours)
  const targets = toPoints(table)
  let before = -1
  let above = -1
  for (let at = 0; at < indices.length; at += 1) {
    const entry = entries[at]!
    const best = nearest[entry]!
    if (at % width === 0) before = -1
    above = at >= width ? indices[at - width]! : -1
    if (before === best || above === best || smooth?.[at] === 1) {
      indices[at] = best
      before = best
      continue
    }
    const limit = (Math.sqrt(distanceOf(points, entry, targets, best)) + tolerance) ** 2
    const up = above === -1 ? Number.POSITIVE_INFINITY : distanceOf(points, entry, targets, above)
    const left = before === -1 ? Number.POSITIVE_INFINITY : distanceOf(points, entry, targets, before)
    const chosen = up <= left ? (up <= limit ? above : best) : left <= limit ? before : best
    indices[at] = chosen
    before = chosen
  }
  return { width, height, table, indices }
}

/** An image of at most 256 colours as its own palette, exactly. */
export const exactPalette = ({ width, height }: Extent, { colours, entries }: Histogram): Indexed => ({
  width,
  height,
  table: colours,
  indices: Uint8Array.from(entries),
})

/** The pixels that an indexed image shows. */
export const show = ({ width, height, table, indices }: Indexed, channels: 3 | 4): Raster => {
  const data = new Uint8Array(indices.length * channels)
  for (let at = 0, to = 0; at < indices.length; at += 1, to += channels) {
    const from = indices[at]! * 4
    data[to] = table[from]!
    data[to + 1] = table[from + 1]!
    data[to + 2] = table[from + 2]!
    if (channels === 4) data[to + 3] = table[from + 3]!
  }
  return { width, height, channels, data }
}
