import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MIN_STEP_MS } from '../../core/intervals.ts'
import type { ResultFile } from '../../core/outcome.ts'
import { countColours } from '../../formats/palette/histogram.ts'
import { nextSetting } from '../../search/find-setting.ts'
import type { SettingProblem, SettingTrial } from '../../search/setting-problem.ts'
import { openAnimation } from '../frames/animation.ts'
import { gatherFrames } from '../frames/gather-frames.ts'
import { describe, type MotionJob } from '../frames/job.ts'
import { lookSame, playSame } from '../frames/same-frames.ts'
import { type FrameMetric, sampledFrames } from '../frames/score-frames.ts'
import { type AllFrames, MAX_CLUSTERED_PIXELS, searchSharedPalette } from '../frames/shared-palette.ts'
import { codeIndexed, codeLossless, searchCoded } from './coder-search.ts'
import type { GifBase } from './gif-base.ts'
import type { GifSearch, SampleSize } from './gif-search-state.ts'
import { type GifTarget, openGifTarget } from './gif-target.ts'
import { type GifsicleSettings, storeGif } from './gifsicle.ts'
import { asPlainFrames, plainGif } from './write-gif.ts'

/** gifsicle's `--lossy` by index. Each step loses about as many points of score. */
const LOSSY = [5, 8, 10, 12, 15, 18, 20, 22, 25, 28, 31, 35, 40, 50, 60, 80, 100, 130, 170, 220, 300] as const
/** Index of LOSSY that is tried first, and that is returned where nothing can be scored. */
const FIRST = { high: 2, medium: 6, low: 15 } as const
/** Usual points of score that one index loses. */
const POINTS_PER_STEP = 2
/** A file that fails must be smaller than the best by this factor; less error makes no fewer bytes. */
const WORTH_IT = 0.98

/** Encodes that an animation is worth: px of all its frames decide and not time, so that the same comes out each time. */
const mostEncodes = (pixels: number): number =>
  pixels < 1e6 ? 32 : pixels < 4e6 ? 24 : pixels < 10e6 ? 16 : pixels < 30e6 ? 10 : 8

/** Of six sampled frames, others lay up to 2 points below their bounds (lab/motion.md): a small animation has 24, where `ms` suffice. */
const sampleSize = (pixels: number, ms: number): SampleSize => {
  if (pixels > 6e6) return { most: 6, timeLimited: false }
  // Such searches took 2 to 5.5 CPU seconds a megapixel of all frames (eight clips). Half a second is left for what comes before and after.
  return ms < 500 + pixels * 0.005 ? { most: 6, timeLimited: true } : { most: 24, timeLimited: false }
}

/** Opens a search for the smallest way to store `base`. */
export const openSearch = (job: MotionJob, base: GifBase): GifSearch => {
  const { extent, frames } = base.animation
  const pixels = extent.width * extent.height * frames
  return {
    job,
    base,
    sample: sampleSize(pixels, job.deadline.remaining()),
    most: mostEncodes(pixels),
    exactBytes: 0,
    best: undefined,
    encodes: base.isSource ? 0 : 1,
    coded: 0,
    codable: undefined,
    timeLimited: false,
  }
}

/** Keeps and offers what is smaller than the best so far. */
export const keep = (search: GifSearch, result: ResultFile): void => {
  if (search.best !== undefined && search.best.bytes <= result.bytes) return
  search.best = result
  search.job.offer(result)
}

const hasBudget = (search: GifSearch): boolean => {
  if (search.job.deadline.remaining() < MIN_STEP_MS) search.timeLimited = true
  return !search.timeLimited && search.encodes - search.coded < search.most
}

/** Stores the base, or a file `own` of ours that shows the same frames. Undefined when that failed or does not play as the base does. */
const store = async (search: GifSearch, settings: GifsicleSettings, own?: string): Promise<ResultFile | undefined> => {
  const { job, base } = search
  const path = own === undefined ? join(job.directory, `stored-${settings.lossy}.gif`) : `${own}-stored.gif`
  search.encodes += 1
  job.advance?.({ phase: 'search', done: search.encodes, of: search.most })
  if (!(await storeGif(own ?? base.path, path, settings, job.deadline))) return undefined
  const stored = await openAnimation(path, { format: 'gif' }).catch(() => undefined)
  if (stored === undefined || !playSame(stored, base.animation)) return undefined
  return describe(job, { format: 'gif', path, encodes: search.encodes })
}

/** Stores with losses and measures; keeps what reaches the goal. What gifsicle could not store fails. */
const tryLossy = async (search: GifSearch, goal: GifTarget, index: number): Promise<SettingTrial> => {
  const result = await store(search, { lossy: LOSSY[index]!, fast: true })
  if (result === undefined) return { setting: -index, margin: Number.NEGATIVE_INFINITY }
  const frames = await sampledFrames(goal.metric, result.path)
  const metric = goal.base ?? goal.metric
  const { keeps, effective, score: own } = metric.compare(frames)
  const margin = effective - metric.goal
  const trial = {
    setting: -index,
    margin: keeps ? Math.max(0, margin) : Math.min(-Number.EPSILON, margin),
    bytes: result.bytes,
  }
  if (!keeps) return trial
  const score = goal.base === undefined ? own : goal.metric.compare(frames).score
  keep(search, { ...result, score, meetsTarget: true, warnings: [...result.warnings, ...goal.warnings] })
  return trial
}

const bytesOf = ({ best }: GifSearch): number => best?.bytes ?? Number.POSITIVE_INFINITY

/** The highest error that reaches the goal. The solver's settings are negated indices of LOSSY, because a larger one must score more. */
const problemOf = (first: number, maxTrials: number): SettingProblem => ({
  axis: { min: 1 - LOSSY.length, max: 0, step: 1 },
  prior: [
    [-first, 0],
    [-first + 1, POINTS_PER_STEP],
  ],
  slopeSpread: 0.5,
  noise: 0.5,
  tolerance: 1,
  maxTrials,
})

/** The smallest file of gifsicle that keeps the promise, by its one setting of error. */
const searchStored = async (search: GifSearch, goal: GifTarget, first: number): Promise<void> => {
  const problem = problemOf(first, search.most)
  const trials: SettingTrial[] = []
  for (let next = nextSetting(problem, trials); next.kind === 'trial'; next = nextSetting(problem, trials)) {
    if (!hasBudget(search)) return
    const trial = await tryLossy(search, goal, -next.setting)
    trials.push(trial)
    if (trial.margin < 0 && (trial.bytes ?? 0) >= bytesOf(search) * WORTH_IT) return
  }
}

/** By our own coder, and in one palette without further loss where frames are drawn; by gifsicle where the coder cannot. */
const searchLossy = async (search: GifSearch, first: number): Promise<void> => {
  using goal = await openGifTarget(search.job, search.base, search.sample.most)
  if (goal.base !== undefined) {
    // libvips made the base with losses of its own: our coder may keep of the frames themselves what the base breaks.
    const coded = await searchCoded(search, goal.metric, false)
    if (coded !== undefined) {
      search.best = undefined
      return keep(search, coded)
    }
  }
  const isDrawing = isDrawn(search)
  // First, where both are tried: the coder's search ends early by the bytes of this file.
  if (isDrawing) await searchOwnPalette(search, goal)
  if (await keepCoded(search, goal)) return
  await searchStored(search, goal, first)
  if (!isDrawing) await searchOwnPalette(search, goal)
}

/** Keeps our own coder's smallest that reaches the goal; returns whether there is one. */
const keepCoded = async (search: GifSearch, { metric, base, warnings }: GifTarget): Promise<boolean> => {
  const coded = await searchCoded(search, base ?? metric, base !== undefined)
  if (coded === undefined) return false
  const score = base === undefined ? coded.score : metric.compare(await sampledFrames(metric, coded.path)).score
  keep(search, { ...coded, ...(score === undefined ? {} : { score }), warnings: [...coded.warnings, ...warnings] })
  return true
}

/** Bytes a pixel that frames stored without loss take at least where they are photographs, or dithered. */
const PHOTOGRAPHIC = 0.1

/** Whether frames are drawn: one palette without further loss is sometimes smaller there. */
const isDrawn = ({ base: { animation }, exactBytes }: GifSearch): boolean =>
  exactBytes < animation.extent.width * animation.extent.height * animation.frames * PHOTOGRAPHIC

/** In the units of the points, the most first: what repeats is found again by GIF's compression too. */
const OWN_TOLERANCES = [10, 6, 3] as const

/** Frames in one palette of our own quantiser without further loss, stored by gifsicle and by our coder. */
const searchOwnPalette = async (search: GifSearch, goal: Pick<GifTarget, 'metric'>): Promise<void> => {
  const { job, base } = search
  const { output } = job.transform.geometry
  const { frames, delays, loop } = base.animation
  if (output.width * output.height * frames > MAX_CLUSTERED_PIXELS || !hasBudget(search)) return
  const data = await gatherFrames(job)
  const tall: AllFrames['tall'] = { width: output.width, height: output.height * frames, channels: 4, data }
  const histogram = (await search.codable)?.histogram ?? countColours(tall)
  const found = searchSharedPalette({ tall, histogram }, goal.metric, job, OWN_TOLERANCES)
  const plain = found && asPlainFrames(found.indexed, output, delays)
  if (found === undefined || plain === undefined) return
  const path = join(job.directory, 'own-palette.gif')
  await writeFile(path, plainGif({ ...output, loop }, plain))
  for (const result of [await store(search, { lossy: 0 }, path), await codeIndexed(search, found.indexed)]) {
    const scores = result && goal.metric.passing(await sampledFrames(goal.metric, result.path))
    if (result !== undefined && scores !== undefined)
      keep(search, { ...result, score: scores.score, meetsTarget: true })
  }
}

/**
 * GIFs whose frames may take the fewest bytes without further loss: that of our coder, and, of drawings, that in one palette. `exactBytes`: what
 * the frames take in full.
 */
export const searchCodings = async (
  search: GifSearch,
  metric: FrameMetric,
  exactBytes: number,
): Promise<readonly ResultFile[]> => {
  const coded = await searchCoded(search, metric, false)
  const ofDrawing: GifSearch = { ...search, exactBytes, best: undefined }
  if (isDrawn(ofDrawing)) await searchOwnPalette(ofDrawing, { metric })
  return [coded, ofDrawing.best].filter((result) => result !== undefined)
}

/** A lossless result counts only when every frame was compared. */
const storeLossless = async (search: GifSearch): Promise<void> => {
  const exact = search.base.isSource ? { score: 100, meetsTarget: true, untouched: true } : {}
  const stored = await store(search, { lossy: 0 })
  search.exactBytes = stored?.bytes ?? 0
  if (
    stored !== undefined &&
    (await lookSame(search.base.animation, await openAnimation(stored.path, { format: 'gif' })))
  )
    keep(search, { ...stored, ...exact })
  if (search.job.deadline.remaining() < MIN_STEP_MS) return
  const coded = await codeLossless(search)
  if (coded !== undefined) keep(search, { ...coded, ...exact })
}

/** Leaves the smallest file that may be given out in `search.best`, where there is one. */
export const searchSmallest = async (search: GifSearch): Promise<void> => {
  const { target } = search.job.plan
  await storeLossless(search)
  if (target.kind === 'lossless') return
  const first = FIRST[target.preset]
  // Of no use where the exact file can be returned.
  const isSafe = search.best?.meetsTarget === true
  const quick = isSafe ? undefined : await store(search, { lossy: LOSSY[first]! })
  if (quick !== undefined && search.best === undefined) keep(search, quick)
  await searchLossy(search, first)
  // Nothing reaches the target (frames lost colours already): then the preset's usual setting.
  if (search.best?.meetsTarget !== true && quick !== undefined) keep(search, quick)
}
