import type { Raster } from '../../core/image.ts'
import { MIN_STEP_MS } from '../../core/intervals.ts'
import { lowestIndex } from '../../formats/lowest-index.ts'
import type { Histogram } from '../../formats/palette/histogram.ts'
import { openPalettes, SIZES } from '../../formats/palette/palettes.ts'
import { type Indexed, remap, show } from '../../formats/palette/remap.ts'
import type { MotionJob } from './job.ts'
import type { FrameMetric, FrameScores } from './score-frames.ts'

/** Largest number of px in all frames together whose colours are counted and clustered: more takes too long. */
export const MAX_CLUSTERED_PIXELS = 40e6

/** All frames one below the other, and their colours. */
export interface AllFrames {
  readonly tall: Raster<4>
  readonly histogram: Histogram
}

/** All frames in the colours of one palette, and the scores of the sampled frames. */
export interface SharedPalette {
  readonly indexed: Indexed
  readonly scores: FrameScores
}

/** One frame of the tall image, with the palette's colours. */
const frameOf = (tall: Indexed, metric: FrameMetric, number: number): Raster => {
  const { width, height } = metric.references[0]!
  const indices = tall.indices.subarray(number * width * height, (number + 1) * width * height)
  return show({ width, height, table: tall.table, indices }, 4)
}

/**
 * The smallest palette for all frames together that keeps every bound, with the first of `tolerances` that keeps them too.
 * A tolerance is the extra colour distance at which a pixel takes a repeating index, in the units of the histogram's points.
 * Returns undefined when 256 colours break a bound, or when there is no time. One palette without diffusion keeps still areas from flickering.
 */
export const searchSharedPalette = (
  { tall, histogram }: AllFrames,
  metric: FrameMetric,
  job: Pick<MotionJob, 'plan' | 'deadline' | 'advance'>,
  tolerances: readonly number[],
): SharedPalette | undefined => {
  if (job.plan.target.kind === 'lossless') return undefined
  const { at: paletteAt } = openPalettes(histogram)
  let tries = 0
  const attempt = (place: number, tolerance: number): SharedPalette | undefined => {
    if (job.deadline.remaining() < MIN_STEP_MS) return undefined
    tries += 1
    job.advance?.({ phase: 'search', done: tries, of: MAX_TRIALS + tolerances.length })
    const indexed = remap(tall, histogram, paletteAt(place), { tolerance })
    const scores = metric.passing(metric.numbers.map((number) => frameOf(indexed, metric, number)))
    return scores && { indexed, scores }
  }
  // A palette with more entries than the image has colours changes nothing.
  const enough = SIZES.findIndex((size) => size >= histogram.counts.length)
  const last = enough < 0 ? SIZES.length - 1 : enough
  const smallest = lowestIndex({ first: 0, last, start: last }, (place) => ({ proven: attempt(place, 0) }))
  if (smallest === undefined) return undefined
  for (const tolerance of tolerances) {
    const found = attempt(smallest.index, tolerance)
    if (found !== undefined) return found
  }
  return smallest.outcome.proven
}

/** Trials of the bisection over all sizes: the largest first, then log2 of their number. */
const MAX_TRIALS = 1 + Math.ceil(Math.log2(SIZES.length))
