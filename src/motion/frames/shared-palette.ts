import type { Raster } from '../../core/image.ts'
import type { Histogram } from '../../formats/palette/histogram.ts'
import { lowestPassing } from '../../formats/palette/lowest-passing.ts'
import { openPalettes, SIZES } from '../../formats/palette/palettes.ts'
import { type Indexed, remap, show } from '../../formats/palette/remap.ts'
import type { MotionJob } from './job.ts'
import type { FrameMetric, FrameScores } from './score-frames.ts'

/** px of all frames together in which colours are counted and clustered; beyond, that takes too long. */
export const MOST_CLUSTERED = 40e6
/** ms below which nothing more is tried. */
const LEAST_MS = 400

/** All frames one below the other, and their colours. */
export interface AllFrames {
  readonly tall: Raster<4>
  readonly histogram: Histogram
}

/** All frames in the colours of one palette, and what was measured of that. */
export interface SharedPalette {
  readonly indexed: Indexed
  readonly scores: FrameScores
}

/** Frame of an indexed tall image, as it is shown. */
const frameOf = (tall: Indexed, metric: FrameMetric, number: number): Raster => {
  const { width, height } = metric.references[0]!
  const indices = tall.indices.subarray(number * width * height, (number + 1) * width * height)
  return show({ width, height, table: tall.table, indices }, 4)
}

/**
 * The smallest palette for all frames together that keeps the promise, then with the first of the tolerances towards what repeats
 * (in the units of the points) that keeps it too; undefined when 256 colours do not, or there is no time. Without diffusion and
 * one palette for all, what does not move does not flicker.
 */
export const searchSharedPalette = (
  { tall, histogram }: AllFrames,
  metric: FrameMetric,
  job: Pick<MotionJob, 'plan' | 'deadline' | 'advance'>,
  tolerances: readonly number[],
): SharedPalette | undefined => {
  if (job.plan.target.kind === 'lossless') return undefined
  const paletteAt = openPalettes(histogram)
  let tries = 0
  const attempt = (place: number, tolerance: number): SharedPalette | undefined => {
    if (job.deadline.remaining() < LEAST_MS) return undefined
    tries += 1
    job.advance?.({ phase: 'search', done: tries, of: MOST_TRIES + tolerances.length })
    const indexed = remap(tall, histogram, paletteAt(place), { tolerance })
    const scores = metric.passing(metric.numbers.map((number) => frameOf(indexed, metric, number)))
    return scores && { indexed, scores }
  }
  const passing = new Map<number, SharedPalette>()
  const passes = (place: number): boolean => {
    const found = attempt(place, 0)
    if (found !== undefined) passing.set(place, found)
    return found !== undefined
  }
  // Larger ones than hold all colours are the same.
  const enough = SIZES.findIndex((size) => size >= histogram.counts.length)
  const last = enough < 0 ? SIZES.length - 1 : enough
  const place = lowestPassing(last, last, passes)
  if (place === undefined) return undefined
  for (const tolerance of tolerances) {
    const found = attempt(place, tolerance)
    if (found !== undefined) return found
  }
  return passing.get(place)
}

/** Halving finds one of so many sizes in so many tries, the largest first. */
const MOST_TRIES = 1 + Math.ceil(Math.log2(SIZES.length))
