import type { Raster } from '../../core/image.ts'
import { openExaminer } from '../../formats/examine.ts'
import type { Examined } from '../../formats/format.ts'
import { processMetrics } from '../../metric/metrics.ts'
import { densityOf } from '../../plan/plan.ts'
import type { BoundName } from '../../plan/promise.ts'
import { goalFor } from '../../plan/targets.ts'
import { openAnimation, pickFrames } from './animation.ts'
import type { Animation } from './frames.ts'
import type { MotionJob } from './job.ts'
import { renderFrame } from './render.ts'
import { sampleToLast } from './sampling.ts'

/** Measurements of one frame. Its score is known: only an examination without patience leaves it out. */
export type ExaminedFrame = Examined & { readonly score: number }

/** Scores of the sampled frames. */
export interface FrameScores {
  /** Mean SSIMULACRA 2.1. */
  readonly score: number
  /** Whether each of them keeps every bound of the promise. */
  readonly keeps: boolean
  /** The bounds that any of them breaks, as far as they were measured. */
  readonly broken: readonly BoundName[]
  /** The score as which the worst of them counts, by whatever measure is farthest from its bound. */
  readonly effective: number
}

/** Measures an animation by a sample of its frames. */
export interface FrameMetric extends Disposable {
  readonly numbers: readonly number[]
  /** The frames as asked for, before any encoder. */
  readonly references: readonly Raster[]
  /** Minimum effective score of each frame. */
  readonly goal: number
  /** Frames against the references, in their order, one by one. */
  readonly examine: (frames: readonly Raster[]) => readonly ExaminedFrame[]
  /** The same of them all. */
  readonly compare: (frames: readonly Raster[]) => FrameScores
  /** The same where every bound is kept; else undefined, as soon as one is broken. */
  readonly passing: (frames: readonly Raster[]) => FrameScores | undefined
}

/** Pixels that are scored a candidate: as many sampled frames as fit, at least 3. */
const SCORED_PIXELS = 3e6

const sampleSize = (pixels: number, most: number): number =>
  Math.max(3, Math.min(most, Math.floor(SCORED_PIXELS / pixels)))

/** Measurements whose score is known. Throws where the score was not measured. */
const withScore = (examined: Examined): ExaminedFrame => {
  const { score } = examined
  if (score === undefined) throw new Error('a frame was examined without its score')
  return { ...examined, score }
}

/** Mean score of the sampled frames, whether all keep their bounds, and the bounds that are broken. */
export const scoresOf = (examined: readonly ExaminedFrame[]): FrameScores => ({
  score: examined.reduce((sum, { score }) => sum + score, 0) / examined.length,
  keeps: examined.every(({ keeps }) => keeps),
  broken: [...new Set(examined.flatMap(({ broken }) => broken))],
  effective: Math.min(...examined.map(({ effective }) => effective)),
})

/** Makes references ready for comparing with the same numbers of other files. */
const openOn = async (
  { plan }: Pick<MotionJob, 'plan'>,
  numbers: readonly number[],
  references: readonly Raster[],
): Promise<FrameMetric> => {
  const metrics = await processMetrics()
  const { target } = plan
  const density = densityOf(plan)
  const goal = target.kind === 'score' ? goalFor(target.score) : 100
  const examiners = references.map((pixels) => openExaminer(metrics, { pixels, target, density }))
  const examineAll = (frames: readonly Raster[]) => examiners.map(({ examine }, i) => withScore(examine(frames[i]!)))
  const compare = (frames: readonly Raster[]): FrameScores => scoresOf(examineAll(frames))
  // The cheaper metric first: a frame that fails it spares all frames the dearer one.
  const passing = (frames: readonly Raster[]): FrameScores | undefined =>
    examiners.every(({ ssimulacra2 }, i) => ssimulacra2(frames[i]!) >= goal) &&
    examiners.every(({ examine }, i) => examine(frames[i]!).keeps)
      ? compare(frames)
      : undefined
  return {
    numbers,
    references,
    goal,
    examine: examineAll,
    compare,
    passing,
    [Symbol.dispose]: () => {
      for (const examiner of examiners) examiner[Symbol.dispose]()
    },
  }
}

/** Renders a sample of at most `most` frames and makes it ready for comparing. */
export const openFrameMetric = async (job: MotionJob, most = 6): Promise<FrameMetric> => {
  const { animation, transform, plan } = job
  const { width, height } = transform.geometry.output
  const numbers = sampleToLast(animation.frames, sampleSize(width * height, most))
  const picked = await pickFrames(animation, numbers)
  return openOn(job, numbers, await Promise.all(picked.map((frame) => renderFrame(frame, transform, plan.background))))
}

/** The metric on the same frames as `other`, but with those of an animation already encoded as references. */
export const openMetricOf = async (job: MotionJob, animation: Animation, other: FrameMetric): Promise<FrameMetric> =>
  openOn(job, other.numbers, await pickFrames(animation, other.numbers))

/** The sampled frames of a GIF or WebP file. */
export const sampledFrames = async ({ numbers }: FrameMetric, path: string): Promise<readonly Raster[]> =>
  pickFrames(await openAnimation(path, { format: 'gif' }), numbers)
