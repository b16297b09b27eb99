import { stat } from 'node:fs/promises'
import type { Deadline } from '../../core/deadline.ts'
import type { OutputFormat, SourceFacts } from '../../core/image.ts'
import type { Progress, ResultFile } from '../../core/outcome.ts'
import type { Preset } from '../../options/options.ts'
import type { Plan } from '../../plan/plan.ts'
import { staged } from '../../support/stages.ts'
import { openAnimation } from './animation.ts'
import { checkCaps } from './caps.ts'
import { decideFrameTransform } from './frame-transform.ts'
import type { Animation } from './frames.ts'
import type { FrameTransform } from './render.ts'
import { playedDelays, sumOf } from './timing.ts'

export interface AnimationRequest {
  readonly path: string
  readonly facts: SourceFacts
  readonly plan: Plan
  readonly deadline: Deadline
  /** Scratch directory: results are left in it. */
  readonly directory: string
  /** Called with each better result, a quick one first. */
  readonly offer: (file: ResultFile) => void
  readonly stage?: (name: string, ms: number) => void
  /** Called with how far a phase has got, as often as a step is done. */
  readonly advance?: (progress: Progress) => void
  /** Called with what the operator should read in the log. */
  readonly notice?: (message: string) => void
  readonly ffmpegPath?: string
}

/** A request whose source was looked at: what every format's maker works on. */
export interface MotionJob extends AnimationRequest {
  readonly animation: Animation
  /** The source's own frames, where `animation` shows them changed on purpose. */
  readonly original?: Animation
  readonly transform: FrameTransform
  /** How long each frame is shown, in ms. */
  readonly delays: readonly number[]
  readonly warnings: readonly string[]
  readonly time: <T>(stage: string, work: () => Promise<T>) => Promise<T>
}

/** Opens the source and decides what becomes of its frames, within limits on the result. Fails with SOURCE_DAMAGED, SOURCE_FRAMES or SOURCE_TOO_LONG. */
export const openJob = async (
  request: AnimationRequest,
  format: OutputFormat,
  limits: (frames: number) => { readonly maxSide: number; readonly maxPixels: number },
): Promise<MotionJob> => {
  const report = { stage: request.stage ?? (() => undefined) }
  const time: MotionJob['time'] = (stage, work) => staged(report, stage, work)
  const { path, facts, plan } = request
  const animation = await time('decode', () => openAnimation(path, facts))
  checkCaps(animation, format, plan.limits)
  const own = limits(animation.frames)
  const transform = await time('plan', () =>
    decideFrameTransform({
      animation,
      orientation: facts.orientation,
      plan,
      ...(request.notice === undefined ? {} : { notice: request.notice }),
      limits: {
        maxSide: Math.min(own.maxSide, plan.limits.maxSide),
        maxPixels: Math.min(own.maxPixels, plan.limits.maxPixels),
      },
    }),
  )
  const delays = playedDelays(animation.delays, animation.frames)
  return { ...request, animation, transform, delays, warnings: [...transform.geometry.warnings], time }
}

/** The preset whose settings an encoder begins with: `lossless` is `high` where nothing can be lossless. */
export const presetOf = ({ plan }: MotionJob): Exclude<Preset, 'lossless'> =>
  plan.target.kind === 'lossless' ? 'high' : plan.target.preset

/** The description of a finished file. */
export const describe = async (
  job: MotionJob,
  file: { readonly format: OutputFormat; readonly path: string; readonly encodes: number } & Partial<ResultFile>,
): Promise<ResultFile> => ({
  bytes: (await stat(file.path)).size,
  ...job.transform.geometry.output,
  frames: job.animation.frames,
  durationMs: sumOf(job.delays),
  loopCount: job.animation.loop,
  warnings: job.warnings,
  ...(job.transform.focus === undefined ? {} : { focus: job.transform.focus }),
  ...file,
})
