import type { OutputFormat } from '../core/image.ts'
import type { Made } from '../core/outcome.ts'
import { makeGif } from './gif.ts'
import { type AnimationRequest, type MotionJob, openJob } from './job.ts'
import { makeVideo } from './video.ts'
import { videoLimits } from './video-settings.ts'
import { makeWebp } from './webp.ts'

type Maker = (job: MotionJob) => Promise<Made>

interface Motion {
  readonly make: Maker
  /** What the format or the work on it allows; what is larger is scaled down with a Warning. */
  readonly limits: (frames: number) => { readonly maxSide: number; readonly maxPixels: number }
}

const unlimited = { maxPixels: Number.POSITIVE_INFINITY }

/** Every format that can hold an animation. */
const MOTIONS: Readonly<Partial<Record<OutputFormat, Motion>>> = {
  gif: { make: makeGif, limits: () => ({ maxSide: 65535, ...unlimited }) },
  webp: { make: makeWebp, limits: () => ({ maxSide: 16383, ...unlimited }) },
  webm: { make: (job) => makeVideo(job, 'webm'), limits: videoLimits },
  h264: { make: (job) => makeVideo(job, 'h264'), limits: videoLimits },
}

export type { AnimationRequest } from './job.ts'

/**
 * Makes an animation smaller, in each of the plan's formats; the smallest result is returned, ever better ones are offered.
 * Runs in a child process that its parent kills at the deadline. Fails with SOURCE_DAMAGED, SOURCE_TOO_MANY_FRAMES or NOT_BUILT.
 */
export const optimiseAnimation = async (request: AnimationRequest): Promise<Made> => {
  let best: Made | undefined
  let failure: unknown
  for (const format of request.plan.formats) {
    const motion = MOTIONS[format]
    if (motion === undefined) continue
    try {
      const offer = (made: Made): void => {
        if (best === undefined || made.bytes < best.bytes) request.offer(made)
      }
      const made = await motion.make(await openJob({ ...request, offer }, motion.limits))
      if (best === undefined || made.bytes < best.bytes) best = made
    } catch (error) {
      failure ??= error
    }
  }
  if (best === undefined) throw failure ?? new Error(`No animation can be made in ${request.plan.formats.join(', ')}`)
  return best
}
