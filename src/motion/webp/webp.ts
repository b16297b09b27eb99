import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import type { Raster } from '../../core/image.ts'
import { MIN_STEP_MS } from '../../core/intervals.ts'
import type { ResultFile } from '../../core/outcome.ts'
import { WEBP } from '../../core/webp-numbers.ts'
import { SLACK } from '../../formats/format.ts'
import { goalFor } from '../../plan/targets.ts'
import { MIN_SAVING } from '../../search/budget.ts'
import { type Curve, inverse, valueAt } from '../../search/curve.ts'
import { nextSetting, smallestPassing } from '../../search/find-setting.ts'
import type { SettingProblem, SettingTrial } from '../../search/setting-problem.ts'
import { openAnimation, pickFrames } from '../frames/animation.ts'
import type { Animation } from '../frames/frames.ts'
import { gatherFrames, gatherStored } from '../frames/gather-frames.ts'
import { describe, type MotionJob } from '../frames/job.ts'
import { type FrameMetric, type FrameScores, openFrameMetric } from '../frames/score-frames.ts'
import { startTimes } from '../frames/timing.ts'
import { codeFrames } from '../gif/gif.ts'
import { setWebpDelays } from './webp-delays.ts'

/** Median score by quality of frames that are coded as stills. */
const CURVE: Curve = [
  [12, 30],
  [35, 45],
  [54, 55],
  [79, 70],
  [89, 80],
  [93, 85],
  [97, 90],
]
/** Trials of the sampled frames. */
const MAX_TRIALS = 8

/** The smallest quality whose sampled frames reach a goal. */
const problemOf = (goal: number): SettingProblem => ({
  axis: { min: 1, max: WEBP.finestQuality, step: 1 },
  prior: CURVE.map(([quality, score]) => [quality, score - goal] as const),
  slopeSpread: 0.35,
  noise: 0.4,
  tolerance: SLACK,
  maxTrials: MAX_TRIALS,
})

/** The search that goes on with encodes of the whole animation: their differences between frames lose more than the stills of the sample. */
const problemOfWhole = (goal: number, start: number): SettingProblem => ({
  ...problemOf(goal),
  start,
  maxTrials: MAX_TRIALS / 2,
  // ln(bytes) rises by 0.02 to 0.13 per point: five pairs of encodes of two animations.
  saving: { min: MIN_SAVING, rise: 0.05 },
})
/**
 * Bytes without loss in terms of those with loss within which frames of few colours are tried: of the sampled frames as stills, and of the whole, where
 * frames share pixels. Few colours take 0.46 to 0.83 of the bytes of all (four animations).
 */
const NEARLY = { stills: 3, whole: 2 } as const

/**
 * libwebp's effort, and the hard one for frames without loss, up to a number of px in all frames. It takes 0.86 of the bytes of 3 animations of up to 50,000
 * px, for up to 6 CPU seconds per megapixel.
 */
const EFFORTS = { usual: { effort: 4 }, hard: { effort: 6, quality: 100 }, maxHardPixels: 5e4 } as const

type WebpSetting = { readonly lossless: true } | { readonly quality: number }

interface Encoded {
  readonly pixels: Raster
  readonly bytes: number
}

const encodeFrame = async ({ data, width, height, channels }: Raster, setting: WebpSetting): Promise<Encoded> => {
  const bytes = await sharp(data, { raw: { width, height, channels } })
    .webp({ ...setting, effort: 4, smartSubsample: true })
    .toBuffer()
  const decoded = await sharp(bytes).ensureAlpha().raw().toBuffer()
  return { pixels: { width, height, channels: 4, data: decoded }, bytes: bytes.length }
}

/** The score as which the sampled frames count, coded as stills, and their bytes. */
const encodeSample = async (metric: FrameMetric, setting: WebpSetting): Promise<{ score: number; bytes: number }> => {
  const frames = await Promise.all(metric.references.map((frame) => encodeFrame(frame, setting)))
  return {
    score: metric.compare(frames.map(({ pixels }) => pixels)).effective,
    bytes: frames.reduce((sum, frame) => sum + frame.bytes, 0),
  }
}

interface WebpQuality {
  readonly quality: number
  readonly score: number
  /** Bytes of the sample without loss, against those at this quality. */
  readonly lossless: number
}

interface SampleTrial extends SettingTrial {
  readonly score: number
  readonly bytes: number
}

/** Searches on the sampled frames alone: one encode of the whole animation costs more than all trials. */
const searchQuality = async (job: MotionJob, metric: FrameMetric, goal: number): Promise<WebpQuality | undefined> => {
  const trials: SampleTrial[] = []
  const problem = problemOf(goal)
  while (job.deadline.remaining() > MIN_STEP_MS) {
    const next = nextSetting(problem, trials)
    if (next.kind === 'stop') break
    job.advance?.({ phase: 'search', done: trials.length, of: MAX_TRIALS })
    const { score, bytes } = await encodeSample(metric, { quality: next.setting })
    trials.push({ setting: next.setting, margin: score - goal, score, bytes })
  }
  const found = smallestPassing(trials)
  if (found === undefined) return undefined
  const { bytes } = await encodeSample(metric, { lossless: true })
  return { quality: found.setting, score: found.score, lossless: bytes / found.bytes }
}

const quickQuality = (score: number): number => Math.min(WEBP.finestQuality, Math.ceil(valueAt(inverse(CURVE), score)))

/** Numbers of the stored frames that show when the given ones do: libwebp joins frames that look alike. */
const storedNumbers = (numbers: readonly number[], delays: readonly number[], stored: Animation): number[] => {
  const starts = startTimes(delays)
  const storedStarts = startTimes(stored.delays)
  return numbers.map((number) => {
    const middle = starts[number]! + delays[number]! / 2
    return Math.max(
      0,
      storedStarts.findLastIndex((start) => start <= middle),
    )
  })
}

/** Encodes the whole animation. */
interface Encoder {
  /** Frames as RGBA, one below the other: those of the job where none are given. */
  readonly encode: (setting: WebpSetting, frames?: Buffer) => Promise<ResultFile>
  readonly encodes: () => number
}

const openEncoder = async (job: MotionJob): Promise<Encoder> => {
  const { output } = job.transform.geometry
  const own = await job.time('resize', () => gatherFrames(job))
  const delays = job.delays.map((delay) => Math.min(WEBP.maxVipsDelayMs, Math.round(delay)))
  const height = own.length / output.width / 4
  const raw = { width: output.width, height, channels: 4, pageHeight: output.height } as const
  const loop = Math.min(65535, job.animation.loop)
  const of = job.animation.frames
  const lossless = own.length / 4 <= EFFORTS.maxHardPixels ? EFFORTS.hard : EFFORTS.usual
  let encodes = 0
  const encode: Encoder['encode'] = async (setting, frames = own) => {
    const effort = 'lossless' in setting ? lossless : EFFORTS.usual
    encodes += 1
    // libvips encodes all frames in one go. Without frames of its own to begin playing at (minSize) a file is never larger: of 8 GIFs
    // up to 26 % smaller without loss, up to 6 % with, for twice the CPU.
    job.advance?.({ phase: 'encode', done: 0, of })
    const bytes = await job.time('encode', () =>
      sharp(frames, { raw, limitInputPixels: false })
        .webp({ ...setting, ...effort, smartSubsample: true, minSize: true, delay: delays, loop })
        .toBuffer(),
    )
    job.advance?.({ phase: 'encode', done: of, of })
    setWebpDelays(bytes, delays, job.delays)
    const path = join(job.directory, `encoded-${encodes}.webp`)
    await writeFile(path, bytes)
    const { pages = 1 } = await sharp(bytes).metadata()
    return describe(job, { format: 'webp', path, encodes, frames: pages })
  }
  return { encode, encodes: () => encodes }
}

/** Scores of the whole animation: frames coded as differences may lose more than the stills of the search. */
const scoreOf = async (job: MotionJob, metric: FrameMetric, { path }: ResultFile): Promise<FrameScores> => {
  const stored = await openAnimation(path, { format: 'webp' })
  return metric.compare(await pickFrames(stored, storedNumbers(metric.numbers, job.delays, stored)))
}

/** A trial of the whole animation. */
interface WholeTrial extends SettingTrial {
  readonly result: ResultFile
}

/** The smallest encode of the whole animation that keeps the promise, else the nearest. Begins at the quality that the sample found. */
const encodeLossy = async (
  job: MotionJob,
  { encode }: Encoder,
  metric: FrameMetric,
  search: { readonly quality: number; readonly goal: number },
): Promise<ResultFile> => {
  const problem = problemOfWhole(search.goal, search.quality)
  const trials: WholeTrial[] = []
  for (let cutShort = false; ; cutShort = job.deadline.remaining() < MIN_STEP_MS) {
    const next = nextSetting(problem, trials)
    if (next.kind === 'stop' || cutShort) {
      const { result } = smallestPassing(trials) ?? trials.reduce((a, b) => (b.margin > a.margin ? b : a))
      return { ...result, ...(next.kind === 'trial' ? { cutShort } : {}) }
    }
    const plain = await encode({ quality: next.setting })
    const { score, keeps, effective } = await job.time('score', () => scoreOf(job, metric, plain))
    const result = { ...plain, score, meetsTarget: keeps }
    job.offer(result)
    const margin = keeps ? Math.max(0, effective - search.goal) : Math.min(-problem.noise, effective - search.goal)
    trials.push({ setting: next.setting, margin, bytes: result.bytes, result })
  }
}

/** The smaller of the exact file and what frames of few colours take without further loss, as our GIF coder makes them, where they keep the promise. */
const encodeCoded = async (
  job: MotionJob,
  { encode }: Encoder,
  metric: FrameMetric,
  exact: ResultFile,
): Promise<ResultFile> => {
  const { animations, cutShort } = await codeFrames(job, metric, exact.bytes)
  let smallest = exact
  for (const animation of animations) {
    const result = await encode({ lossless: true }, await gatherStored(animation))
    if (result.bytes >= smallest.bytes) continue
    const { score, keeps } = await job.time('score', () => scoreOf(job, metric, result))
    if (keeps) smallest = { ...result, score, meetsTarget: true, ...(cutShort ? { cutShort: true } : {}) }
  }
  return smallest
}

/** The animation as WebP: the lowest quality that reaches the target on sampled frames; where no loss of its own is worth it, all colours or fewer without. */
export const makeWebp = async (job: MotionJob): Promise<ResultFile> => {
  const { target } = job.plan
  const encoder = await openEncoder(job)
  const withoutLoss = async (): Promise<ResultFile> => {
    const result = { ...(await encoder.encode({ lossless: true })), score: 100, meetsTarget: true }
    job.offer(result)
    return result
  }
  if (target.kind === 'lossless') return withoutLoss()
  using metric = await openFrameMetric(job)
  const goal = goalFor(target.score)
  const exactOrCoded = async (maxExact = Number.POSITIVE_INFINITY): Promise<ResultFile> => {
    const exact = await withoutLoss()
    if (exact.bytes > maxExact) return exact
    if (job.deadline.remaining() < MIN_STEP_MS) return { ...exact, cutShort: true }
    const smallest = await encodeCoded(job, encoder, metric, exact)
    return { ...smallest, encodes: encoder.encodes() }
  }
  const found = await job.time('search', () => searchQuality(job, metric, goal))
  if (found === undefined) {
    // Nothing in reach of the target, or no time to score: the latter has no time for the slower way either.
    if (job.deadline.remaining() >= MIN_STEP_MS) return exactOrCoded()
    const result = await encoder.encode({ quality: quickQuality(target.score) })
    job.offer(result)
    return { ...result, cutShort: true }
  }
  if (found.lossless <= 1) return exactOrCoded()
  const lossy = await encodeLossy(job, encoder, metric, { quality: found.quality, goal })
  // Stills do not show what a GIF's frames share: a lossy file larger than its source loses to frames without loss.
  const isSmall = found.lossless > NEARLY.stills && lossy.bytes <= job.facts.bytes
  if (isSmall && lossy.meetsTarget === true) return lossy
  if (job.deadline.remaining() < MIN_STEP_MS) return { ...lossy, cutShort: true }
  const lossless = await exactOrCoded(lossy.meetsTarget === true ? NEARLY.whole * lossy.bytes : undefined)
  const better = lossless.bytes <= lossy.bytes || lossy.meetsTarget !== true
  return better ? lossless : { ...lossy, encodes: encoder.encodes() }
}
