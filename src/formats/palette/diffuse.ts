import type { Extent } from '../../core/image.ts'
import { DIFFUSED_SHARE, NEIGHBOUR_SHARES } from '../diffusion.ts'
import { AXES, chromaDistance, distanceOf, histogramPoints, type Palette, toPoints, VISIBLY_OFF } from './cluster.ts'
import type { Histogram } from './histogram.ts'
import { type Indexed, openChoice } from './remap.ts'

/** A pixel that receives an error may take its own colour's nearest entry or one of this many nearest to that. */
const NEIGHBOURS = 12

/** For each entry of the palette itself and those nearest to it. */
const findNeighbours = (table: Float32Array): Uint16Array => {
  const size = table.length / AXES
  const count = Math.min(NEIGHBOURS, size)
  const neighbours = new Uint16Array(size * count)
  for (let entry = 0; entry < size; entry += 1) {
    const distances = Float64Array.from({ length: size }, (_, other) => distanceOf(table, entry, table, other))
    const order = Array.from(distances.keys()).sort((a, b) => distances[a]! - distances[b]! || a - b)
    neighbours.set(order.slice(0, count), entry * count)
  }
  return neighbours
}

/**
 * Gives each pixel its palette entry; where the image is smooth, what a pixel errs by is handed on to its neighbours, so that
 * gradients keep their mean colour everywhere. No error enters or leaves flat areas and edges, where pixels may take what repeats.
 */
export const diffuse = (
  size: Extent,
  histogram: Histogram,
  palette: Palette,
  { smooth, tolerance = 0 }: { readonly smooth: Uint8Array; readonly tolerance?: number },
): Indexed => {
  const { width, height } = size
  const { entries } = histogram
  const points = histogramPoints(histogram)
  const targets = toPoints(palette.table)
  const neighbours = findNeighbours(targets)
  const choices = neighbours.length / (targets.length / AXES)
  const indices = new Uint8Array(width * height)
  const tolerant = openChoice({ size, histogram, palette, indices }, tolerance)
  const choose = (at: number, entry: number, exact: boolean): void => {
    if (tolerance === 0) indices[at] = entry
    else tolerant(at, entry, exact)
  }
  let errors = new Float32Array((width + 2) * AXES)
  let below = new Float32Array((width + 2) * AXES)
  const wanted = new Float32Array(AXES)
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += 1) {
      const colour = entries[at]!
      const nearest = palette.nearest[colour]!
      if (smooth[at] === 0) {
        choose(at, nearest, false)
        continue
      }
      const place = (x + 1) * AXES
      for (let axis = 0; axis < AXES; axis += 1) wanted[axis] = points[colour * AXES + axis]! + errors[place + axis]!
      let best = nearest
      let least = Number.POSITIVE_INFINITY
      for (let choice = 0; choice < choices; choice += 1) {
        const entry = neighbours[nearest * choices + choice]!
        const distance = distanceOf(wanted, 0, targets, entry)
        if (distance < least && chromaDistance(points, colour, targets, entry) <= VISIBLY_OFF ** 2) {
          least = distance
          best = entry
        }
      }
      choose(at, best, true)
      for (let axis = 0; axis < AXES; axis += 1) {
        const whole = wanted[axis]! - targets[best * AXES + axis]!
        const error = Math.max(-VISIBLY_OFF, Math.min(VISIBLY_OFF, whole)) * DIFFUSED_SHARE
        errors[place + AXES + axis]! += error * NEIGHBOUR_SHARES.right
        below[place - AXES + axis]! += error * NEIGHBOUR_SHARES.belowLeft
        below[place + axis]! += error * NEIGHBOUR_SHARES.below
        below[place + AXES + axis]! += error * NEIGHBOUR_SHARES.belowRight
      }
    }
    ;[errors, below] = [below, errors]
    below.fill(0)
  }
  return { width, height, table: palette.table, indices }
}
