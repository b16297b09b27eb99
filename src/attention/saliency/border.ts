import { GRID, type Plane, planeOf } from './grid.ts'
import type { LabImage } from './lab.ts'

/** Width of the strips along the border that count as background. */
const STRIP = Math.round(GRID * 0.1)
/** Added to the variances, so that an even border does not make every other colour infinitely far. */
const ADDED_VARIANCE = 4

/** Whether a cell lies in a strip: top, bottom, left, right. */
const STRIPS: readonly ((x: number, y: number) => boolean)[] = [
  (_, y) => y < STRIP,
  (_, y) => y >= GRID - STRIP,
  (x) => x < STRIP,
  (x) => x >= GRID - STRIP,
]

/**
 * Difference of a cell from the border (after MB+, Zhang et al. 2015): the sum of the distances from the colours of the four border
 * strips, without the largest. So a subject that touches one side does not count as background.
 */
export const borderDistance = (lab: LabImage): Plane => {
  const planes = STRIPS.map((isInStrip) => distanceFrom(lab, isInStrip))
  return planeOf((at) => {
    const distances = planes.map((plane) => plane[at]!)
    return distances.reduce((sum, distance) => sum + distance) - Math.max(...distances)
  })
}

/** Distance from the mean colour of a strip, each channel in its standard deviations; the largest is 1. */
const distanceFrom = (lab: LabImage, isInStrip: (x: number, y: number) => boolean): Plane => {
  const cells = [...lab[0].keys()].filter((at) => isInStrip(at % GRID, Math.floor(at / GRID)))
  const channels = lab.map((plane) => {
    const mean = cells.reduce((sum, at) => sum + plane[at]!, 0) / cells.length
    const variance = cells.reduce((sum, at) => sum + (plane[at]! - mean) ** 2, 0) / cells.length
    return { plane, mean, variance: variance + ADDED_VARIANCE }
  })
  const distances = planeOf((at) =>
    Math.sqrt(channels.reduce((sum, { plane, mean, variance }) => sum + (plane[at]! - mean) ** 2 / variance, 0)),
  )
  const most = distances.reduce((a, b) => Math.max(a, b), 0) || 1
  return distances.map((distance) => distance / most)
}
