import type { Raster } from '../../core/image.ts'
import { openSsimulacra2, type Ssimulacra2, type Ssimulacra2Reference } from '../../metric/ssimulacra2/ssimulacra2.ts'
import { openAnimation, pickFrames } from './animation.ts'
import type { Animation } from './frames.ts'
import type { MotionJob } from './job.ts'
import { renderFrame } from './render.ts'
import { sampleFrames } from './sampling.ts'

/** Scores an animation by a sample of its frames. */
export interface FrameMetric extends Disposable {
  readonly numbers: readonly number[]
  /** The frames as asked for, before any encoder. */
  readonly references: readonly Raster[]
  /** Mean SSIMULACRA 2.1 of frames against the references, in their order. */
  readonly compare: (frames: readonly Raster[]) => number
  /** The same of a GIF or WebP file. */
  readonly compareFile: (path: string) => Promise<number>
}

/** Pixels that are scored a candidate: as many sampled frames as fit, at least 3, at most 6. */
const SCORED_PIXELS = 3e6

let metric: Promise<Ssimulacra2> | undefined

const sampleSize = (pixels: number): number => Math.max(3, Math.min(6, Math.floor(SCORED_PIXELS / pixels)))

/** Makes references ready for comparing with the same numbers of other files. */
const openOn = async (numbers: readonly number[], references: readonly Raster[]): Promise<FrameMetric> => {
  metric ??= openSsimulacra2()
  const opened = await metric
  const prepared: Ssimulacra2Reference[] = references.map((reference) => opened.prepare(reference))
  const compare = (frames: readonly Raster[]): number =>
    prepared.reduce((sum, reference, i) => sum + reference.compare(frames[i]!), 0) / prepared.length
  return {
    numbers,
    references,
    compare,
    compareFile: async (path) => compare(await pickFrames(await openAnimation(path, { format: 'gif' }), numbers)),
    [Symbol.dispose]: () => {
      for (const reference of prepared) reference.free()
    },
  }
}

/** Renders the sample and makes it ready for comparing. */
export const openFrameMetric = async ({ animation, transform, plan }: MotionJob): Promise<FrameMetric> => {
  const { width, height } = transform.geometry.output
  const numbers = sampleFrames(animation.frames, sampleSize(width * height))
  const picked = await pickFrames(animation, numbers)
  return openOn(numbers, await Promise.all(picked.map((frame) => renderFrame(frame, transform, plan.background))))
}

/** The metric on the same frames as `other`, but with those of an animation already encoded as references. */
export const openMetricOf = async (animation: Animation, other: FrameMetric): Promise<FrameMetric> =>
  openOn(other.numbers, await pickFrames(animation, other.numbers))
