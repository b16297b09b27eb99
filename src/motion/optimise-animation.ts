import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { OutputFormat } from '../core/image.ts'
import type { ResultFile } from '../core/outcome.ts'
import { MAX_INT32 } from '../core/units.ts'
import { mayReturnOwn } from '../plan/own-bytes.ts'
import { isBetter } from '../plan/winner.ts'
import { hasOwnResponse } from '../support/exhausted.ts'
import { makeApng } from './apng/make-apng.ts'
import { openAnimation, pickFrames } from './frames/animation.ts'
import { type AnimationRequest, type MotionJob, openJob } from './frames/job.ts'
import { playedDelays, sumOf } from './frames/timing.ts'
import { makeGif } from './gif/gif.ts'
import { makeAvif } from './video/avif.ts'
import { makeVideo } from './video/video.ts'
import { videoLimits } from './video/video-settings.ts'
import { makeWebp } from './webp/webp.ts'

type Maker = (job: MotionJob) => Promise<ResultFile>

interface Motion {
  readonly make: Maker
  /** Largest size that the format or the work allows; larger animations are scaled down with a Warning. */
  readonly limits: (frames: number) => { readonly maxSide: number; readonly maxPixels: number }
}

const unlimited = { maxPixels: Number.POSITIVE_INFINITY }

/** Every format that can hold an animation. */
export const MOTIONS: Readonly<Partial<Record<OutputFormat, Motion>>> = {
  gif: { make: makeGif, limits: () => ({ maxSide: 65535, ...unlimited }) },
  png: { make: makeApng, limits: () => ({ maxSide: MAX_INT32, ...unlimited }) },
  webp: { make: makeWebp, limits: () => ({ maxSide: 16383, ...unlimited }) },
  avif: { make: makeAvif, limits: videoLimits },
  webm: { make: (job) => makeVideo(job, 'webm'), limits: videoLimits },
  h264: { make: (job) => makeVideo(job, 'h264'), limits: videoLimits },
}

export type { AnimationRequest } from './frames/job.ts'

/** The source as the result, when no encode is smaller and the request allows it (§3.4). The caller takes its metadata out. */
const sourceInstead = async (
  { path, facts, directory }: Pick<AnimationRequest, 'path' | 'facts' | 'directory'>,
  description: Omit<ResultFile, 'path' | 'format' | 'width' | 'height' | 'frames' | 'bytes'>,
): Promise<ResultFile> => {
  const copy = join(directory, `source.${facts.format}`)
  await copyFile(path, copy)
  const { width, height, format, frames, bytes } = { ...facts, format: facts.format as OutputFormat }
  return {
    ...description,
    path: copy,
    format,
    width,
    height,
    frames,
    bytes,
    score: 100,
    meetsTarget: true,
    untouched: true,
  }
}

/** The source itself, whose frames keep what is promised. Fails with SOURCE_DAMAGED. */
export const ownFrames = async (
  request: Pick<AnimationRequest, 'path' | 'facts' | 'directory'>,
): Promise<ResultFile> => {
  const animation = await openAnimation(request.path, request.facts)
  await pickFrames(animation, [0])
  return sourceInstead(request, {
    encodes: 0,
    warnings: [],
    loopCount: animation.loop,
    durationMs: sumOf(playedDelays(animation.delays, animation.frames)),
  })
}

/** The best result, and the formats whose encoder failed. */
export interface OptimisedAnimation {
  readonly result: ResultFile
  readonly failed: readonly OutputFormat[]
}

/**
 * Makes an animation smaller, in each of the plan's formats; the best result is returned, ever better ones are offered.
 * Runs in a child process that its parent kills at the deadline. Fails with SOURCE_DAMAGED, SOURCE_TOO_MANY_FRAMES,
 * WORK_TOO_SLOW or PROGRAM_MISSING.
 */
export const optimiseAnimation = async (request: AnimationRequest): Promise<OptimisedAnimation> => {
  const { plan, facts } = request
  let best: ResultFile | undefined
  let offered: ResultFile | undefined
  let failure: unknown
  const failed: OutputFormat[] = []
  const offer = (result: ResultFile): void => {
    if (offered !== undefined && !isBetter(result, offered)) return
    offered = result
    request.offer(result)
  }
  for (const format of plan.formats) {
    const motion = MOTIONS[format]
    if (motion === undefined) continue
    try {
      const result = await motion.make(await openJob({ ...request, offer }, format, motion.limits))
      // A format's final result counts, not its offers: a video may be kept below its source at the cost of the target.
      if (best === undefined || isBetter(result, best)) best = result
    } catch (error) {
      failure ??= error
      // After the deadline the directory may be gone, and no answer comes from here.
      if (hasOwnResponse(error) || request.deadline.signal.aborted) continue
      failed.push(format)
      request.notice?.(`The ${format.toUpperCase()} encoder failed on ${facts.frames} frames: ${error}`)
    }
  }
  best ??= offered
  if (best === undefined && failed.length > 0 && mayReturnOwn(request)) best = await ownFrames(request)
  if (best === undefined) throw failure ?? new Error(`No animation can be made in ${plan.formats.join(', ')}`)
  const isTooLarge = mayReturnOwn(request) && best.bytes > facts.bytes
  return { result: isTooLarge ? await sourceInstead(request, best) : best, failed }
}
