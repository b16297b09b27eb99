import type { Extent } from '../../core/image.ts'
import { DIFFUSED_SHARE, NEIGHBOUR_SHARES } from '../diffusion.ts'
import { AXES, chromaDistance, distanceOf, histogramPoints, type Palette, toPoints, VISIBLY_OFF } from './cluster.ts'
import type { Histogram } from './histogram.ts'
import { type Indexed, openChoice } from './remap.ts'

/** A pixel that receives an error may take its own colour's nearest entry or one of this many nearest to that. */
const NEIGHBOURS = 12

/** For each entry of the palette itself and those nearest to it, with their distances. */
const findNeighbours = (table: Float32Array) => {
  const size = table.length / AXES
  const choices = Math.min(NEIGHBOURS, size)
  const neighbours = new Uint16Array(size * choices)
  const gaps = new Float64Array(size * choices)
  for (let entry = 0; entry < size; entry += 1) {
    const first = entry * choices
    // The nearest so far, sorted.
    for (let other = 0; other < size; other += 1) {
      const gap = distanceOf(table, entry, table, other)
      const kept = first + Math.min(other, choices)
      let place = kept
      while (place > first && gaps[place - 1]! > gap) place -= 1
      if (place === first + choices) continue
      const last = Math.min(kept, first + choices - 1)
      gaps.copyWithin(place + 1, place, last)
      neighbours.copyWithin(place + 1, place, last)
      gaps[place] = gap
      neighbours[place] = other
    }
  }
  return { neighbours, gaps: gaps.map(Math.sqrt), choices }
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
  const { neighbours, gaps, choices } = findNeighbours(targets)
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
      const off = Math.sqrt(distanceOf(wanted, 0, targets, nearest))
      for (let choice = 0; choice < choices; choice += 1) {
        // By the triangle inequality this entry, and all that follow, are farther.
        const gap = gaps[nearest * choices + choice]! - off
        if (gap > 0 && gap * gap > least) break
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
        if (whole === 0) continue
        const error = (whole > VISIBLY_OFF ? VISIBLY_OFF : whole < -VISIBLY_OFF ? -VISIBLY_OFF : whole) * DIFFUSED_SHARE
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
