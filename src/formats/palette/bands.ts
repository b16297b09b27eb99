import { distanceOf, toPoints } from './cluster.ts'
import type { Histogram } from './histogram.ts'
import type { Indexed } from './remap.ts'

/** Pixels of a gradient that may lie along visible steps: a share of all of them, and a minimum number. */
const TOLERATED = { share: 0.002, few: 24 } as const

/**
 * Whether a palette breaks gradients into visible bands: more than a few pixels lie along steps. A step between two neighbours exceeds the
 * image's own by more than `visible` (in the units of the points; 1.2 is a step of one in grey). Metrics of whole images weigh such lines too little.
 * Do not call it for diffused palettes, whose errors make no lines.
 */
export const hasBands = (image: Indexed, histogram: Histogram, smooth: Uint8Array, visible: number): boolean => {
  const { width, height } = image
  const steps = openSteps(image, histogram)
  let gradient = 0
  let lines = 0
  for (let y = 1, at = width; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += 1) {
      if (smooth[at] === 0) continue
      gradient += 1
      const isLine = (other: number): boolean => smooth[other] === 1 && steps(at, other) > visible
      if (isLine(at - width) || (x > 0 && isLine(at - 1))) lines += 1
    }
  }
  return lines > Math.max(TOLERATED.few, gradient * TOLERATED.share)
}

/** By how much more the palette steps between two pixels than the image does. */
const openSteps = ({ table, indices }: Indexed, { colours, entries }: Histogram) => {
  const points = toPoints(colours)
  const targets = toPoints(table)
  return (at: number, other: number): number => {
    const [one, two] = [indices[at]!, indices[other]!]
    if (one === two) return 0
    const shown = Math.sqrt(distanceOf(targets, one, targets, two))
    return shown - Math.sqrt(distanceOf(points, entries[at]!, points, entries[other]!))
  }
}
