import { setImmediate } from 'node:timers/promises'
import type { Raster } from '../../core/image.ts'
import { pickFrames } from '../frames/animation.ts'
import type { Animation } from '../frames/frames.ts'
import type { MotionJob } from '../frames/job.ts'
import { sampleFrames } from '../frames/sampling.ts'
import { canDenoise, denoise } from './denoise.ts'
import { undither } from './undither.ts'

/** Frames that are looked at. */
const SAMPLE = 4
/** From this part of their pixels on a GIF is worked on without what looks like dither. */
const MUCH = 0.1

const DITHERED =
  'The source is dithered or noisy: the result is made of its frames with that averaged out, and held to these. X-Score compares it with the source.'

const isDithered = async (animation: Animation): Promise<boolean> => {
  const frames = await pickFrames(animation, sampleFrames(animation.frames, SAMPLE))
  return frames.reduce((sum, frame) => sum + undither(frame).dithered, 0) / frames.length >= MUCH
}

/** The animation with every frame's dither taken out as it is read. */
const withoutDither = (animation: Animation): Animation => ({
  ...animation,
  read: async (from, count) => {
    const clear: Raster[] = []
    for (const frame of await animation.read(from, count)) {
      clear.push(undither(frame).frame)
      // Lets a stop or a deadline arrive between two frames.
      await setImmediate()
    }
    return clear
  },
})

/** A job whose frames are made for an encoder. */
export interface ClearJob {
  readonly job: MotionJob
  /** With more time the frames would have less grain. */
  readonly timeLimited: boolean
}

/**
 * A job whose frames have neither dither nor grain: both are losses that the source has already, and to repeat them in a video costs several
 * times the picture. Jobs of sources that are not GIFs or are not dithered, and those without loss, are returned as they are. Fails with SOURCE_DAMAGED.
 */
export const clearOfDither = async (job: MotionJob, ffmpeg: string): Promise<ClearJob> => {
  const { animation, facts, plan } = job
  if (facts.format !== 'gif' || plan.target.kind === 'lossless') return { job, timeLimited: false }
  if (!(await job.time('undither', () => isDithered(animation)))) return { job, timeLimited: false }
  const undithered = withoutDither(animation)
  const { isSmall, inTime } = canDenoise(job)
  const denoised = isSmall && inTime ? await job.time('denoise', () => denoise(job, undithered, ffmpeg)) : undefined
  const clear = { animation: denoised ?? undithered, original: animation, warnings: [...job.warnings, DITHERED] }
  return { job: { ...job, ...clear }, timeLimited: isSmall && !inTime }
}
