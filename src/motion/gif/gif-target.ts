import { namedBounds } from '../../plan/winner.ts'
import type { MotionJob } from '../frames/job.ts'
import { type FrameMetric, openFrameMetric, openMetricOf, sampledFrames } from '../frames/score-frames.ts'
import type { GifBase } from './gif-base.ts'

/** By what a file is scored. */
export interface GifTarget extends Disposable {
  readonly metric: FrameMetric
  /** Where the base itself breaks a bound, since a GIF has 256 colours: what its files are compared with instead. */
  readonly base?: FrameMetric
  readonly warnings: readonly string[]
}

/** Finds out whether the base itself keeps what is promised, by at most `most` frames. */
export const openGifTarget = async (job: MotionJob, base: GifBase, most: number): Promise<GifTarget> => {
  const metric = await openFrameMetric(job, most)
  const free = (...metrics: FrameMetric[]) => ({
    [Symbol.dispose]: () => {
      for (const each of metrics) each[Symbol.dispose]()
    },
  })
  const own = base.isSource ? undefined : metric.compare(await sampledFrames(metric, base.path))
  if (own === undefined || own.keeps) return { metric, warnings: [], ...free(metric) }
  const ofBase = await openMetricOf(job, base.animation, metric)
  const warning = `A GIF has 256 colours a frame and nothing half transparent: this animation cannot keep what was promised of it${namedBounds(own.broken)}, scores ${Math.round(own.score)} at most, and is measured against what a GIF can show.`
  return { metric, base: ofBase, warnings: [warning], ...free(metric, ofBase) }
}
