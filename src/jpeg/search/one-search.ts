import type { JpegEncoder, Smoothing } from '../quantiser/encoder.ts'
import { keepsBounds, neededScore, type QualityBounds, slackAt } from './bounds.ts'
import { isTimeUp, type JpegGoal } from './goal.ts'
import { featuresOf } from './image-features.ts'
import { isNear, nextParameters, type Parameters, type SearchState, slackOfBracket } from './next-trial.ts'
import { byWhatBinds, protectionAfter } from './places.ts'
import { predictLogNorm, predictScores, type ScoreCurve, scoreAt } from './quality-prediction.ts'
import { leastBytes, pointsWorth } from './rate-estimate.ts'
import { type Course, openTrials, type Reference, type Trial } from './trial.ts'

/** What searches go on with that another has begun. */
export interface ContinuedGoal extends JpegGoal {
  readonly smooth?: Smoothing
  readonly course: Course
}

/** One search under way: what it is to keep, what it knows beforehand, and its trials so far. */
export interface JpegSearch {
  readonly bounds: QualityBounds
  readonly course: Course
  readonly known: Omit<SearchState, 'target' | 'slack'>
  /** The part of the bytes that another trial must be able to save. */
  readonly worth: number
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

/** Near enough is by that part more with each trial, for the next one costs as much and saves less. */
const SLACK_GROWTH = 0.2
/** So many times the usual slack is near enough where places bind, whose trials jump. */
const PLACES_SLACK = 2

/** Opens a search that has made no trial yet. */
export const openJpegSearch = (encoder: JpegEncoder, reference: Reference, goal: ContinuedGoal): JpegSearch => {
  const { target, butteraugli, trials, start, smooth, course } = goal
  const { frame } = encoder.transformed
  course.features ??= featuresOf(encoder.transformed)
  const curve = predictScores(course.features)
  const bounds =
    butteraugli === undefined || reference.butteraugli === undefined
      ? { score: target }
      : { score: target, butteraugli }
  const logNorm = predictLogNorm(course.features)
  const made: Trial[] = []
  return {
    bounds,
    course,
    worth: worthOfTrial(frame),
    logNorm,
    known: {
      curve,
      lowest: lowestFor(frame),
      trials: trials ?? mostTrials(frame),
      ...(start === undefined ? {} : { start }),
    },
    ...openTrials(encoder, reference, course, {
      target,
      smooth: smooth ?? 0,
      watched: smooth !== undefined,
      expected: (parameters) => expectedScore(made, curve, parameters),
    }),
    trials: made,
  }
}

/** What a trial should score by SSIMULACRA, from the one whose tables are nearest, along the curve; undefined where lambda differs, which moves the score too. */
const expectedScore = (
  trials: readonly Trial[],
  curve: ScoreCurve,
  { quality, lambdaScale }: Parameters,
): number | undefined => {
  const far = (one: Trial): number => Math.abs(one.quality - quality)
  const near = trials.filter((one) => one.lambdaScale === lambdaScale).toSorted((a, b) => far(a) - far(b))[0]
  return near && near.similarity + scoreAt(curve, quality) - scoreAt(curve, near.quality)
}

const comparisonsIn = (trials: readonly Trial[]): number => trials.filter((one) => one.butteraugli !== undefined).length

const stateOf = (search: JpegSearch): SearchState => {
  const { bounds, course, known, worth, logNorm, trials, placesTell } = search
  const target = neededScore(bounds, trials, logNorm)
  const onlyTables = placesTell()
  const leeway = onlyTables ? PLACES_SLACK : 1 + SLACK_GROWTH * Math.max(0, course.trials - 1)
  const usual = leeway * pointsWorth(worth, trials)
  const near = Math.max(slackAt(target, bounds, usual), slackOfBracket(placed(search, { target }), target, worth))
  // Each comparison may have moved the target: one more trial follows it.
  const most = known.trials + comparisonsIn(trials) + (onlyTables ? 2 : 0)
  return { ...known, trials: most, target, slack: near, onlyTables }
}

/**
 * Tries until a trial is near both bounds, time is over, or what is found costs too much (then true). Butteraugli is asked only
 * of trials whose score is where its bound is believed to be kept; what it tells moves that score.
 */
export const runTrials = (search: JpegSearch, goal: ContinuedGoal): boolean => {
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

/** The quality that a search begins with. */
export const firstQuality = (search: JpegSearch): number => {
  const next = nextParameters([], stateOf(search))
  return next.kind === 'try' ? next.quality : 0
}

/** Points above what is wanted up to which a trial that keeps its places leaves hardly anything to gain from protecting them. */
const CLOSE = 2

/**
 * How much smooth places are to be protected from now on, where some trial would do but for its places; undefined where that is enough, or where
 * another keeps them without being much better than it had to be.
 */
export const protectionIn = (
  { trials, bounds }: JpegSearch,
  { smooth = 0, ...goal }: ContinuedGoal,
): Smoothing | undefined =>
  isTimeUp(goal) || trials.some((one) => keepsPlaces(one, bounds) && one.similarity < bounds.score + CLOSE)
    ? undefined
    : trials.map((one) => protectionAfter(one, bounds.score, smooth)).findLast((more) => more !== undefined)

/** Whether a trial is known to keep its score and its places. */
export const keepsPlaces = ({ place, score }: Trial, bounds: QualityBounds): boolean =>
  place !== undefined && score >= bounds.score

/** The trials as far from what is wanted as tells where to go on. */
const placed = (
  { trials, bounds, placesTell }: JpegSearch,
  { target }: Pick<SearchState, 'target'>,
): readonly Trial[] => (placesTell() ? byWhatBinds(trials, bounds.score, target) : trials)

/** The place of the cheapest trial that seems near enough and that Butteraugli was not asked of; -1 where there is none, or a cheaper one does. */
const worthComparing = (search: JpegSearch, state: SearchState): number => {
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
export const compareLikely = (search: JpegSearch): boolean => {
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
const isSmall = ({ width, height }: Size): boolean => width * height < 100_000
const mostTrials = (size: Size): number => (isSmall(size) ? 9 : 7)
/** The part of the bytes that another trial must be able to save: the median saves half of it. */
const worthOfTrial = (size: Size): number => (isSmall(size) ? 0.015 : 0.03)

/**
 * Smooth images reach low targets at very coarse tables (a CLIC landscape 60 at -140, with 13 % fewer bytes than at -60). Below
 * 129 px the metric has fewer scales than it was made for, and is not trusted that far.
 */
const lowestFor = ({ width, height }: Size): number => (Math.min(width, height) < 129 ? -60 : -160)
