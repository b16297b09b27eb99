import { goalFor } from '../../plan/targets.ts'
import type { MotionJob } from '../frames/job.ts'
import { type FrameMetric, openFrameMetric, openMetricOf } from '../frames/score-frames.ts'
import type { GifBase } from './gif-base.ts'

/** By what a file is scored. */
export interface GifTarget extends Disposable {
  readonly score: number
  readonly metric: FrameMetric
  /** Where the base itself misses the target, since a GIF has 256 colours: what its files are compared with instead. */
  readonly base?: FrameMetric
  readonly warnings: readonly string[]
}

/** Finds out what the base itself scores. */
export const openGifTarget = async (job: MotionJob, base: GifBase, target: number): Promise<GifTarget> => {
  const metric = await openFrameMetric(job)
  const score = goalFor(target)
  const free = (...metrics: FrameMetric[]) => ({
    [Symbol.dispose]: () => {
      for (const each of metrics) each[Symbol.dispose]()
    },
  })
  const ceiling = base.isSource ? 100 : await metric.compareFile(base.path)
  if (ceiling >= score) return { score, metric, warnings: [], ...free(metric) }
  const own = await openMetricOf(base.animation, metric)
  const warning = `GIF has 256 colours a frame: this animation can score ${Math.round(ceiling)} at most, and is measured against that.`
  return { score, metric, base: own, warnings: [warning], ...free(metric, own) }
}
