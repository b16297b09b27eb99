import type { AnyRaster } from '../../core/image.ts'
import type { Keep } from '../bitstream/metadata.ts'
import { type JpegEncoder, openJpegEncoder, type Smoothing } from '../quantiser/encoder.ts'
import type { Subsampling } from '../quantiser/quant-tables.ts'
import { keepsBounds, neededScore, type QualityBounds, shortfall, slackAt } from './bounds.ts'
import { featuresOf } from './image-features.ts'
import { isNear, nextParameters, type Parameters, type SearchState } from './next-trial.ts'
import { byWhatBinds, protectionAfter } from './places.ts'
import { predictLogNorm, predictScores, qualityAt } from './quality-prediction.ts'
import { leastBytes } from './rate-estimate.ts'
import { bestOf, type Course, openTrials, type Reference, type Trial } from './trial.ts'

/** Time left, and whether the work is still wanted. */
export interface TimeLimit {
  remaining(): number
  readonly signal?: AbortSignal
}

/** What is wanted of the search. */
export interface JpegGoal {
  /** SSIMULACRA 2.1 score at least. */
  readonly target: number
  /** Butteraugli's 3-norm at most; not looked at when absent, or where the reference cannot tell it. */
  readonly butteraugli?: number
  /** 4:2:0 when absent, and 4:4:4 too where 4:2:0 has a hard time. */
  readonly subsampling?: Subsampling
  readonly keep?: Keep
  /** Points above the target that are near enough; 0.45 when absent. */
  readonly slack?: number
  /** Trials at most; when absent 7, and 9 for small images, whose score jumps more and whose trials cost little. */
  readonly trials?: number
  readonly deadline?: TimeLimit
  /** Bytes that a result must stay below to be of use; a search whose estimate is above them ends early. */
  readonly beat?: number
  /** Quality to begin with, when something is known; else what is predicted. */
  readonly start?: number
}

/** What searches go on with that another has begun. */
interface Begun extends JpegGoal {
  readonly smooth?: Smoothing
  readonly course: Course
}

/** The smallest file found; `reached` when it keeps every bound. The figures are those of these very bytes. */
export interface FoundJpeg {
  readonly bytes: Uint8Array
  readonly score: number
  /** Absent where it was not asked for. */
  readonly butteraugli?: number
  readonly reached: boolean
  readonly quality: number
  readonly trials: number
  /** Comparisons by Butteraugli, and which of them (from 0) was of these very bytes; absent where none was. */
  readonly comparisons: number
  readonly comparison?: number
  readonly subsampling: Subsampling
  /** About what the symbols take, in bytes: what headers and tables add to that is much alike in files of one image. */
  readonly rateEstimate: number
  /** By how much finer the tables are than was predicted for this score: halved chroma may be why. */
  readonly strain: number
}

/** Above this many pixels the search would take more than about 1 GB: use sharp's encoder instead. See docs/jpeg-encoder.md. */
export const CLOSED_LOOP_PIXELS = 40_000_000

/**
 * Searches the smallest JPEG of `image` whose score against `reference` reaches the target: each trial quantises, shows and
 * judges the final pixels, one entropy coding ends it. Undefined when the image is too large, when the work was
 * aborted, when time ran out before the first trial, or when it cannot stay below `goal.beat`; when time runs out later the
 * best so far is written.
 */
export const searchJpeg = (image: AnyRaster, reference: Reference, goal: JpegGoal): FoundJpeg | undefined => {
  if (image.width * image.height > CLOSED_LOOP_PIXELS || isTimeUp(goal)) return undefined
  const first = searchAt(image, reference, goal, goal.subsampling ?? '4:2:0')
  const next = first && !goal.subsampling ? goalInFull(goal, first) : undefined
  if (!first || !next || isTimeUp(goal)) return first
  const full = searchAt(image, reference, next, '4:4:4')
  if (!full) return goal.deadline?.signal?.aborted ? undefined : first
  const trials = first.trials + full.trials
  return { ...(isBetter(full, first) ? full : first), trials }
}

/** Above this score full chroma can be smaller on photographs, where halved chroma is what keeps the score down. */
const HIGH_TARGET = 84
const MUCH_STRAIN = 2

/**
 * The goal of a search with full chroma after one with halved chroma: undefined where that can hardly be smaller, nor reach
 * what the other did not, unless it is to be tried anyway. `found` is undefined where nothing stays below `beat`.
 */
export const goalInFull = (goal: JpegGoal, found: FoundJpeg | undefined, anyway = false): JpegGoal | undefined => {
  const full = { ...goal, subsampling: '4:4:4' as const }
  const high = goal.target >= HIGH_TARGET
  if (found === undefined) return anyway || high ? full : undefined
  if (!found.reached) return full
  if (!anyway && !(high && found.strain >= MUCH_STRAIN)) return undefined
  const beat = Math.min(found.bytes.length, found.rateEstimate, goal.beat ?? Number.POSITIVE_INFINITY)
  return { ...full, start: found.quality - COARSER_IN_FULL, beat }
}

/** With full chroma the tables of a score are coarser by about this. */
const COARSER_IN_FULL = 6

const isBetter = (a: FoundJpeg, b: FoundJpeg): boolean => {
  if (a.reached !== b.reached) return a.reached
  return a.reached ? a.bytes.length < b.bytes.length : a.score > b.score
}

const searchAt = (
  image: AnyRaster,
  reference: Reference,
  goal: JpegGoal,
  subsampling: Subsampling,
): FoundJpeg | undefined => {
  const encoder = openJpegEncoder(image, subsampling)
  try {
    return searchWith(encoder, reference, { ...goal, course: { comparisons: 0 } }, subsampling)
  } finally {
    encoder.close()
  }
}

/** With smooth places protected the tables of a score are coarser by about this, in the median of 33 photographs at low, medium and high. */
const coarserInSmooth = (score: number): number => Math.max(1, Math.min(5, 5 - 0.25 * (score - 70)))

/** Where to begin with smooth places protected, after a trial that did but for its places or was near that. */
const startInSmooth = ({ trials, bounds, known: { curve } }: Search): number => {
  const { quality, similarity } = trials.at(-1)!
  return quality + qualityAt(curve, bounds.score) - qualityAt(curve, similarity) - coarserInSmooth(bounds.score)
}

const searchWith = (
  encoder: JpegEncoder,
  reference: Reference,
  goal: Begun,
  subsampling: Subsampling,
): FoundJpeg | undefined => {
  const search = openSearch(encoder, reference, goal)
  const hopeless = runTrials(search, goal)
  if (hopeless || goal.deadline?.signal?.aborted) return undefined
  const write = (): FoundJpeg => writeBest(search, encoder, goal, subsampling)
  const smooth = protectionIn(search, goal)
  if (smooth === undefined) return write()
  const begun = { ...goal, smooth, start: startInSmooth(search) }
  const found = searchWith(encoder, reference, begun, subsampling)
  if (found === undefined) return undefined
  const better = found.reached || isNearer(found, search) ? found : write()
  return { ...better, trials: found.trials + search.trials.length }
}

/** Whether what was found with smooth places protected more, in vain, is nearer to what is wanted than any trial without. */
const isNearer = (found: FoundJpeg, search: Search): boolean => {
  compareLikely(search)
  return shortfall(found, search.bounds) < shortfall(bestOf(search.trials, search.bounds)!, search.bounds)
}

/** Writes the best trial of a search, which has made one at least. */
const writeBest = (
  search: Search,
  encoder: JpegEncoder,
  { keep, course }: Begun,
  subsampling: Subsampling,
): FoundJpeg => {
  const best = bestOf(search.trials, search.bounds)!
  search.restore(best)
  const { score, butteraugli, comparison, quality, rateEstimate } = best
  return {
    bytes: encoder.finish(keep),
    score,
    ...(butteraugli === undefined ? {} : { butteraugli }),
    ...(comparison === undefined ? {} : { comparison }),
    reached: keepsBounds(best, search.bounds),
    quality,
    trials: search.trials.length,
    comparisons: course.comparisons,
    subsampling,
    rateEstimate,
    strain: quality - qualityAt(search.known.curve, score),
  }
}

/** One search under way: what it is to keep, what it knows beforehand, and its trials so far. */
interface Search {
  readonly bounds: QualityBounds
  readonly known: Omit<SearchState, 'target' | 'slack'>
  readonly slack: number
  /** What `logNormAt99` is expected to be. */
  readonly logNorm: number
  readonly attempt: (parameters: Parameters) => Trial
  readonly compare: (trial: Trial) => Trial
  readonly placesTell: () => boolean
  readonly restore: (trial: Trial) => void
  readonly trials: Trial[]
}

/** Comparisons by Butteraugli at most: each takes as long as ten by SSIMULACRA, and two are nearly always enough. */
const MOST_COMPARISONS = 4

const openSearch = (encoder: JpegEncoder, reference: Reference, goal: Begun): Search => {
  const { target, butteraugli, slack = 0.45, trials, start, smooth, course } = goal
  const { frame } = encoder.transformed
  const features = featuresOf(encoder.transformed)
  const curve = predictScores(features)
  const bounds =
    butteraugli === undefined || reference.butteraugli === undefined
      ? { score: target }
      : { score: target, butteraugli }
  const logNorm = predictLogNorm(features)
  return {
    bounds,
    slack,
    logNorm,
    known: {
      curve,
      lowest: lowestFor(frame),
      trials: trials ?? mostTrials(frame),
      ...(start === undefined ? {} : { start }),
    },
    ...openTrials(encoder, reference, course, { target, smooth: smooth ?? 0, watched: smooth !== undefined }),
    trials: [],
  }
}

const comparisonsIn = (trials: readonly Trial[]): number => trials.filter((one) => one.butteraugli !== undefined).length

/** So many times the usual slack is near enough where places bind. */
const PLACES_SLACK = 2

const stateOf = ({ bounds, known, slack, logNorm, trials, placesTell }: Search): SearchState => {
  const target = neededScore(bounds, trials, logNorm)
  // Each comparison may have moved the target: one more trial follows it.
  const most = known.trials + comparisonsIn(trials)
  const near = slackAt(target, bounds, slack)
  if (!placesTell()) return { ...known, trials: most, target, slack: near }
  return { ...known, trials: most + 2, target, slack: near * PLACES_SLACK, onlyTables: true }
}

/**
 * Tries until a trial is near both bounds, time is over, or what is found costs too much (then true). Butteraugli is asked only
 * of trials whose score is where its bound is believed to be kept; what it tells moves that score.
 */
const runTrials = (search: Search, goal: Begun): boolean => {
  const { trials, bounds } = search
  while (trials.length === 0 || !isTimeUp(goal)) {
    const state = stateOf(search)
    const unknown = worthComparing(search, state)
    if (unknown >= 0) {
      trials[unknown] = search.compare(trials[unknown]!)
      if (protectionIn(search, goal) !== undefined) return false
      continue
    }
    const next = nextParameters(placed(search, state), state)
    if (next.kind === 'done') {
      if (!compareLikely(search)) break
      continue
    }
    const one = search.attempt({ quality: next.quality, lambdaScale: next.lambdaScale })
    trials.push(one)
    if (protectionIn(search, goal) !== undefined) return false
    const certain = comparisonsIn(trials) > 0 ? state.target : bounds.score
    if (leastBytes(one.rateEstimate, certain - one.score) > (goal.beat ?? Number.POSITIVE_INFINITY)) return true
  }
  if (isTimeUp(goal) && goal.deadline?.signal?.aborted !== true) compareLikely(search)
  return false
}

/** How much smooth places are to be protected from now on, where some trial would do but for its places; undefined where that is enough. */
const protectionIn = ({ trials, bounds }: Search, { smooth = 0, ...goal }: Begun): Smoothing | undefined =>
  isTimeUp(goal)
    ? undefined
    : trials.map((one) => protectionAfter(one, bounds.score, smooth)).findLast((more) => more !== undefined)

/** The trials as far from what is wanted as tells where to go on. */
const placed = ({ trials, bounds, placesTell }: Search, { target }: SearchState): readonly Trial[] =>
  placesTell() ? byWhatBinds(trials, bounds.score, target) : trials

/** The place of the cheapest trial that seems near enough and that Butteraugli was not asked of; -1 where there is none, or a cheaper one does. */
const worthComparing = (search: Search, state: SearchState): number => {
  const { bounds, trials } = search
  if (bounds.butteraugli === undefined || comparisonsIn(trials) >= MOST_COMPARISONS) return -1
  const [cheapest] = placed(search, state)
    .map((one, index) => ({ ...one, index }))
    .filter((one) => isNear(one, state) && (one.butteraugli === undefined || keepsBounds(trials[one.index]!, bounds)))
    .toSorted((a, b) => a.rateEstimate - b.rateEstimate)
  return cheapest === undefined || cheapest.butteraugli !== undefined ? -1 : cheapest.index
}

/** Points that make no difference where the promise is broken anyway. */
const ALIKE = 0.5

/**
 * Where nothing is known to keep the bounds, asks Butteraugli of the trial that is most likely to; where none can, for its figure, of the
 * cheapest of the nearest. False where none was asked.
 */
const compareLikely = (search: Search): boolean => {
  const { bounds, trials } = search
  if (bounds.butteraugli === undefined || trials.some((one) => keepsBounds(one, bounds))) return false
  const { target } = stateOf(search)
  const unknown = trials.filter((one) => one.butteraugli === undefined).toSorted((a, b) => a.score - b.score)
  const highest = unknown.at(-1)
  if (highest === undefined) return false
  const inVain = highest.score < bounds.score
  if (inVain && comparisonsIn(trials) > 0) return false
  const cheapest = unknown
    .filter(({ score }) => score > highest.score - ALIKE)
    .toSorted((a, b) => a.rateEstimate - b.rateEstimate)[0]!
  const likely = inVain ? cheapest : (unknown.find((one) => one.score >= target) ?? highest)
  trials[trials.indexOf(likely)] = search.compare(likely)
  return true
}

interface Size {
  readonly width: number
  readonly height: number
}

/** Small images' scores jump more, and their trials cost little. */
const mostTrials = ({ width, height }: Size): number => (width * height < 100_000 ? 9 : 7)

/**
 * Smooth images reach low targets at very coarse tables (a CLIC landscape 60 at -140, with 13 % fewer bytes than at -60). Below
 * 129 px the metric has fewer scales than it was made for, and is not trusted that far.
 */
const lowestFor = ({ width, height }: Size): number => (Math.min(width, height) < 129 ? -60 : -160)

const isTimeUp = ({ deadline }: JpegGoal): boolean =>
  deadline !== undefined && (deadline.signal?.aborted === true || deadline.remaining() <= 0)
