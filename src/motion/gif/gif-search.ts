import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Made } from '../../core/outcome.ts'
import { countColours } from '../../formats/palette/histogram.ts'
import { openAnimation } from '../frames/animation.ts'
import { gatherFrames } from '../frames/gather-frames.ts'
import { describe, type MotionJob } from '../frames/job.ts'
import { lookSame, playSame } from '../frames/same-frames.ts'
import { sampledFrames } from '../frames/score-frames.ts'
import { type AllFrames, MOST_CLUSTERED, searchSharedPalette } from '../frames/shared-palette.ts'
import { applyTolerance } from './apply-tolerance.ts'
import { codeLossless, searchCoded } from './coder-search.ts'
import type { GifBase } from './gif-base.ts'
import type { GifSearch, GifSetting } from './gif-search-state.ts'
import { type GifTarget, openGifTarget } from './gif-target.ts'
import { storeGif } from './gifsicle.ts'
import { asPlainFrames, plainGif } from './write-gif.ts'

/** Rising error; the search finds the highest that still reaches the target. */
const LOSSY_STEPS = [5, 8, 10, 12, 15, 18, 20, 22, 25, 28, 31, 35, 40, 50, 60, 80, 100, 130, 170, 220, 300] as const
/** The rung below the lowest. */
const NO_ERROR = -1
const PALETTES = [256, 128, 64, 32, 16, 8] as const
/** The next tolerance to try after one that made the file smaller, or did not. */
const TOLERANCES: Readonly<Record<number, { readonly smaller: number; readonly larger: number }>> = {
  20: { smaller: 30, larger: 10 },
  30: { smaller: 40, larger: 0 },
}
const FIRST_TOLERANCE = 20
/** Where fewer colours leave no room for a tolerance, these are tried instead: colours save more. */
const LESSER_TOLERANCES: readonly number[] = [30, 20, 10, 0]
/** What could not make the best file smaller by this share is not tried. */
const WORTH_IT = 0.98
/** Judging needs about so much time beyond what one round of storing took. */
const LEAST_MS = 400

/** Encodes that an animation is worth: px of all its frames decide and not time, so that the same comes out each time. */
const mostEncodes = (pixels: number): number =>
  pixels < 1e6 ? 32 : pixels < 4e6 ? 24 : pixels < 10e6 ? 16 : pixels < 30e6 ? 10 : 8

/** Opens a search for the smallest way to store `base`. */
export const openSearch = (job: MotionJob, base: GifBase): GifSearch => {
  const { extent, frames } = base.animation
  return {
    job,
    base,
    most: mostEncodes(extent.width * extent.height * frames),
    exactBytes: 0,
    best: undefined,
    encodes: base.isSource ? 0 : 1,
    coded: 0,
    codable: undefined,
    timeLimited: false,
    tolerant: new Map([[0, base.path]]),
  }
}

/** Keeps and offers what is smaller than the best so far. */
export const keep = (search: GifSearch, made: Made): void => {
  if (search.best !== undefined && search.best.bytes <= made.bytes) return
  search.best = made
  search.job.offer(made)
}

const hasBudget = (search: GifSearch): boolean => {
  if (search.job.deadline.remaining() < LEAST_MS) search.timeLimited = true
  return !search.timeLimited && search.encodes - search.coded < search.most
}

const tolerantBase = async (search: GifSearch, tolerance: number): Promise<string | undefined> => {
  if (!search.tolerant.has(tolerance))
    search.tolerant.set(tolerance, await applyTolerance(search.base.animation, tolerance, search.job.directory))
  return search.tolerant.get(tolerance)
}

const nameOf = ({ lossy, colours, tolerance, fast }: GifSetting): string =>
  `stored-${lossy}-${colours ?? 'own'}-${tolerance}${fast === true ? '-fast' : ''}.gif`

/** Stores the base one way, or a file of our own that shows the same; undefined when that failed or does not play as the base does. */
const store = async (search: GifSearch, setting: GifSetting, own?: string): Promise<Made | undefined> => {
  const { job, base } = search
  const from = own ?? (await tolerantBase(search, setting.tolerance))
  if (from === undefined) return undefined
  const path = own === undefined ? join(job.directory, nameOf(setting)) : `${own}-stored.gif`
  search.encodes += 1
  job.advance?.({ phase: 'search', done: search.encodes, of: search.most })
  if (!(await storeGif(from, path, setting, job.deadline))) return undefined
  const stored = await openAnimation(path, { format: 'gif' }).catch(() => undefined)
  if (stored === undefined || !playSame(stored, base.animation)) return undefined
  return describe(job, { format: 'gif', path, encodes: search.encodes })
}

/** What came of a setting. */
interface Attempt {
  readonly reached: boolean
  /** Of the file; 0 where there is none. */
  readonly bytes: number
}

/** Stores and scores; keeps what reaches the goal. */
const attempt = async (search: GifSearch, goal: GifTarget, setting: GifSetting): Promise<Attempt> => {
  const made = await store(search, setting)
  if (made === undefined) return { reached: false, bytes: 0 }
  const { bytes } = made
  // Scored even where it is not smaller: whether it reaches the goal leads the search.
  const frames = await sampledFrames(goal.metric, made.path)
  const passing = (goal.base ?? goal.metric).passing(frames)
  if (passing === undefined) return { reached: false, bytes }
  const { score } = goal.base === undefined ? passing : goal.metric.compare(frames)
  keep(search, { ...made, score, meetsTarget: true, warnings: [...made.warnings, ...goal.warnings] })
  return { reached: true, bytes }
}

const bytesOf = ({ best }: GifSearch): number => best?.bytes ?? Number.POSITIVE_INFINITY
/** A file that fails has to have less than so many bytes for one with less error to be worth a try. */
const worthOf = (search: GifSearch): number => bytesOf(search) * WORTH_IT

interface LossyRange {
  readonly goal: GifTarget
  readonly tolerance: number
  readonly colours?: number
  /** No rung above this is tried. */
  readonly top: number
}

/**
 * The highest rung that reaches the target: the top, else none where the lowest does not, else by halving; undefined when none does. It
 * is left off where what fails is hardly smaller than the best file: less error makes no fewer bytes.
 */
const highestLossy = async (search: GifSearch, { goal, top, ...how }: LossyRange): Promise<number | undefined> => {
  let failing = { rung: top + 1, bytes: 0 }
  const reaches = async (rung: number): Promise<boolean> => {
    if (!hasBudget(search)) return false
    const { reached, bytes } = await attempt(search, goal, { ...how, lossy: LOSSY_STEPS[rung] ?? 0, fast: true })
    if (!reached) failing = { rung, bytes }
    return reached
  }
  if (await reaches(top)) return top
  if (top <= 0 || failing.bytes >= worthOf(search) || !(await reaches(0))) return undefined
  let low = 0
  while (failing.rung - low > 1 && failing.bytes < worthOf(search) && hasBudget(search)) {
    const middle = Math.floor((low + failing.rung) / 2)
    if (await reaches(middle)) low = middle
  }
  return low
}

/** The highest rung that may be reached with a tolerance: that of the largest one up to it whose rung is known. */
const topWith = (reached: ReadonlyMap<number, number>, tolerance: number): number =>
  reached.get(Math.max(...[...reached.keys()].filter((known) => known <= tolerance))) ?? NO_ERROR

/** What goes with so few colours. */
type Fit = Pick<LossyRange, 'top' | 'tolerance'>

/** As much error, and then tolerance, as so few colours leave room for; undefined where they leave none. */
const fitColours = async (
  search: GifSearch,
  { goal, colours, top, tolerance }: LossyRange,
  reached: ReadonlyMap<number, number>,
): Promise<Fit | undefined> => {
  const lesser = LESSER_TOLERANCES.filter((one) => one < tolerance)
  for (const fit of [{ top, tolerance }, ...lesser.map((one) => ({ top: topWith(reached, one), tolerance: one }))]) {
    if (!hasBudget(search) || (await tolerantBase(search, fit.tolerance)) === undefined) return undefined
    const how = { goal, ...(colours === undefined ? {} : { colours }), tolerance: fit.tolerance }
    const rung = await highestLossy(search, { ...how, top: fit.top })
    if (rung !== undefined) return { ...fit, top: rung }
  }
  return undefined
}

/** Sizes of palettes that make a difference: of those that hold all colours the smallest, for then gifsicle makes the same of them all. */
const palettesOf = async ({ codable }: GifSearch): Promise<readonly number[]> => {
  const colours = (await codable)?.histogram.counts.length ?? Number.POSITIVE_INFINITY
  return PALETTES.filter((_, i) => (PALETTES[i + 1] ?? 0) < colours)
}

/** Fewer and fewer colours, with as much error and tolerance as they leave room for, while that makes the file smaller. */
const reduceColours = async (
  search: GifSearch,
  range: LossyRange,
  reached: ReadonlyMap<number, number>,
): Promise<void> => {
  let fit: Fit = range
  for (const colours of await palettesOf(search)) {
    const bytes = bytesOf(search)
    const found = await fitColours(search, { ...range, ...fit, colours }, reached)
    if (found === undefined) return
    const isWhatItWas = found.top === fit.top && found.tolerance === fit.tolerance
    if (!isWhatItWas && bytesOf(search) >= bytes) return
    fit = found
  }
}

/** By our own coder, and by gifsicle where that may be smaller. */
const searchLossy = async (search: GifSearch): Promise<void> => {
  using goal = await openGifTarget(search.job, search.base)
  if (goal.base !== undefined) {
    // libvips made the base with losses of its own: our coder may keep of the frames themselves what the base breaks.
    const coded = await searchCoded(search, goal.metric, false)
    if (coded !== undefined) {
      search.best = undefined
      return keep(search, coded)
    }
  }
  const isDrawing = isDrawn(search)
  // First, where both are tried: what it leaves off goes by the bytes of its own files.
  if (isDrawing) await searchStored(search, goal)
  const isCoded = await keepCoded(search, goal)
  if (!isCoded && !isDrawing) await searchStored(search, goal)
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

/** Whether frames are drawn: there gifsicle's ways sometimes make less, and what they take is little. */
const isDrawn = ({ base: { animation }, exactBytes }: GifSearch): boolean =>
  exactBytes < animation.extent.width * animation.extent.height * animation.frames * PHOTOGRAPHIC

/** First error alone, then with small changes left out, as far as that makes files smaller, then with fewer colours: all by gifsicle. */
const searchStored = async (search: GifSearch, goal: GifTarget): Promise<void> => {
  const most = await highestLossy(search, { goal, tolerance: 0, top: LOSSY_STEPS.length - 1 })
  let fit: Fit = { top: most ?? NO_ERROR, tolerance: 0 }
  const reached = new Map([[0, fit.top]])
  for (let tolerance = FIRST_TOLERANCE; tolerance > 0; ) {
    const bytes = bytesOf(search)
    if (!hasBudget(search) || (await tolerantBase(search, tolerance)) === undefined) break
    const top = (await highestLossy(search, { goal, tolerance, top: Math.max(0, fit.top) })) ?? NO_ERROR
    reached.set(tolerance, top)
    const smaller = bytesOf(search) < bytes
    if (smaller) fit = { top, tolerance }
    tolerance = TOLERANCES[tolerance]?.[smaller ? 'smaller' : 'larger'] ?? 0
  }
  await reduceColours(search, { goal, ...fit }, reached)
  await searchOwnPalette(search, goal)
}

/** In the units of the points, the most first: what repeats is found again by GIF's compression too. */
const OWN_TOLERANCES = [10, 6, 3] as const

/** Frames in one palette of our own quantiser, stored without further loss: smaller than gifsicle's errors make flat drawings. */
const searchOwnPalette = async (search: GifSearch, goal: GifTarget): Promise<void> => {
  const { job, base } = search
  const { output } = job.transform.geometry
  const { frames, delays, loop } = base.animation
  if (output.width * output.height * frames > MOST_CLUSTERED || !hasBudget(search)) return
  const data = await gatherFrames(job)
  const tall: AllFrames['tall'] = { width: output.width, height: output.height * frames, channels: 4, data }
  const histogram = (await search.codable)?.histogram ?? countColours(tall)
  const found = searchSharedPalette({ tall, histogram }, goal.metric, job, OWN_TOLERANCES)
  const plain = found && asPlainFrames(found.indexed, output, delays)
  if (plain === undefined) return
  const path = join(job.directory, 'own-palette.gif')
  await writeFile(path, plainGif({ ...output, loop }, plain))
  const made = await store(search, { lossy: 0, tolerance: 0 }, path)
  if (made === undefined) return
  const scores = goal.metric.passing(await sampledFrames(goal.metric, made.path))
  if (scores !== undefined) keep(search, { ...made, score: scores.score, meetsTarget: true })
}

/** A lossless result counts only when every frame was compared. */
const storeLossless = async (search: GifSearch): Promise<void> => {
  const exact = search.base.isSource ? { score: 100, meetsTarget: true, untouched: true } : {}
  const stored = await store(search, { lossy: 0, tolerance: 0 })
  search.exactBytes = stored?.bytes ?? 0
  if (
    stored !== undefined &&
    (await lookSame(search.base.animation, await openAnimation(stored.path, { format: 'gif' })))
  )
    keep(search, { ...stored, ...exact })
  if (search.job.deadline.remaining() < LEAST_MS) return
  const coded = await codeLossless(search)
  if (coded !== undefined) keep(search, { ...coded, ...exact })
}

/** What a preset is tried with first, and left at where there is no time to score (MOTION.md's measured rows). */
const FIRST = { high: 10, medium: 20, low: 80 } as const

/** Leaves the smallest file that may be given out in `search.best`, where there is one. */
export const searchSmallest = async (search: GifSearch): Promise<void> => {
  const { target } = search.job.plan
  await storeLossless(search)
  if (target.kind === 'lossless') return
  // Of no use where what is exact can be given out.
  const isSafe = search.best?.meetsTarget === true
  const quick = isSafe ? undefined : await store(search, { lossy: FIRST[target.preset], tolerance: 0 })
  if (quick !== undefined && search.best === undefined) keep(search, quick)
  await searchLossy(search)
  // Nothing reaches the target (frames lost colours already): then the preset's usual setting.
  if (search.best?.meetsTarget !== true && quick !== undefined) keep(search, quick)
}
