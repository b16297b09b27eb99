import type { Extent, Raster } from '../../core/image.ts'
import { distanceOf, histogramPoints, type Palette, toPoints } from './cluster.ts'
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
  const choose = openChoice({ size, histogram, palette, indices }, tolerance)
  for (let at = 0; at < indices.length; at += 1) {
    const best = nearest[entries[at]!]!
    choose(at, best, smooth?.[at] === 1)
  }
  return { width, height, table, indices }
}

/** State of a remapping, pixel by pixel. */
interface Filling {
  readonly size: Extent
  readonly histogram: Histogram
  readonly palette: Palette
  /** Filled from the first pixel on. */
  readonly indices: Uint8Array
}

/** Pixels by which what was there before is found again. */
const CONTEXT = 4
/** Slots of their hash table. */
const CONTEXT_SLOTS = 1 << 15

/** The place of the pixel that followed where the last few pixels were seen before; -1 where they were not. */
const openMemory = (indices: Uint8Array): ((at: number, chosen: number) => number) => {
  const seen = new Int32Array(CONTEXT_SLOTS).fill(-1)
  let context = 0
  let next = -1
  return (at, chosen) => {
    indices[at] = chosen
    context = (context << 8) | chosen
    const slot = Math.imul(context, 0x9e3779b1) >>> 17
    if (next >= 0 && indices[next] === chosen) next += 1
    else {
      next = seen[slot]! + 1
      if (next < CONTEXT) next = -1
      for (let back = 1; next >= 0 && back <= CONTEXT; back += 1)
        if (indices[next - back] !== indices[at + 1 - back]) next = -1
    }
    seen[slot] = at
    return next
  }
}

/** Gives pixels their entries: the nearest, or what repeats if that is not farther by more than the tolerance. */
export const openChoice = ({ size: { width }, histogram, palette, indices }: Filling, tolerance: number) => {
  const { entries } = histogram
  const points = histogramPoints(histogram)
  const targets = toPoints(palette.table)
  const remember = openMemory(indices)
  let again = -1
  return (at: number, best: number, exact: boolean): void => {
    const before = at % width === 0 ? -1 : indices[at - 1]!
    const above = at >= width ? indices[at - width]! : -1
    const repeated = again < 0 ? -1 : indices[again]!
    let chosen = best
    if (!exact && before !== best && above !== best && repeated !== best) {
      const entry = entries[at]!
      let least = (Math.sqrt(distanceOf(points, entry, targets, best)) + tolerance) ** 2
      for (const other of [repeated, above, before]) {
        if (other < 0) continue
        const distance = distanceOf(points, entry, targets, other)
        if (distance > least) continue
        least = distance
        chosen = other
      }
    }
    again = remember(at, chosen)
  }
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

/** Whether decoded pixels are those that `show` makes of an image, in three channels or in four. */
export const shows = ({ data, channels }: Raster, { table, indices }: Indexed): boolean => {
  for (let at = 0, to = 0; at < indices.length; at += 1, to += channels) {
    const from = indices[at]! * 4
    if (data[to] !== table[from] || data[to + 1] !== table[from + 1] || data[to + 2] !== table[from + 2]) return false
    if (table[from + 3] !== (channels === 4 ? data[to + 3] : 255)) return false
  }
  return true
}
