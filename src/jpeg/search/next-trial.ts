import { distortionOf, lambdaScaleOf, qualityAt, type ScoreCurve, scoreAt, scoreLossOf } from './quality-prediction.ts'

/** What the search turns: the place in the family of tables, and what error costs against bits. */
export interface Parameters {
  readonly quality: number
  readonly lambdaScale: number
}

/** One trial: what was tried and how it scored; `place` as its worst places count, where they were asked. */
export type TrialScore = Parameters & { readonly score: number; readonly place?: number }

/**
 * How near to the target is near enough, above it: `slack` points; how many trials at most; what is predicted; the coarsest
 * quality; and the one to start at, when more is known than the curve.
 */
export interface SearchState {
  readonly target: number
  readonly slack: number
  readonly trials: number
  readonly curve: ScoreCurve
  readonly lowest: number
  readonly start?: number
  /** Where contours bound some trial: they hardly follow lambda. */
  readonly onlyTables?: boolean
}

/** What to try next, or that the search is over. */
export type Next = ({ kind: 'try' } & Parameters) | { kind: 'done' }

/** From here every step is 1. */
const FINEST_QUALITY = 99.5

/**
 * A factor on lambda that costs no bytes at equal score (docs/lab/jpeg-encoder.md): it starts in the middle, and in there it meets the goal,
 * because the score follows it smoothly; the tables' steps are whole numbers, which makes it jump by up to half a point.
 */
const USUAL_LAMBDA_SCALE = 1.2
const LEAST_LAMBDA_SCALE = 0.85
const MOST_LAMBDA_SCALE = 2.6
/** After a second trial at the same tables, other ones cost more time than a little lambda costs in bytes. */
const LAMBDA_LEEWAY = 1.3

/** At this the trellis keeps nearly all that rounding does. */
const LARGEST_LAMBDA_SCALE = 64

const clamp = (quality: number, { lowest }: SearchState): number => Math.max(lowest, Math.min(FINEST_QUALITY, quality))
const byGap = <P extends TrialScore>(trials: readonly P[], goal: number): P[] =>
  trials.toSorted((a, b) => Math.abs(a.score - goal) - Math.abs(b.score - goal))

/** Points above the target that are aimed at, where a third of the slack is not less: what is near enough may be a little better. */
const AIM = 0.15

export const goalOf = ({ target, slack }: Pick<SearchState, 'target' | 'slack'>): number =>
  target + Math.min(AIM, slack / 3)

/** With the last two trials the goal rises by so much each, while nothing has reached the target: too good is better than missed. */
const URGENCY = 0.6

const raised = (trials: readonly TrialScore[], state: SearchState): SearchState => {
  const left = state.trials - trials.length
  if (left > 2 || trials.some((p) => p.score >= state.target)) return state
  return { ...state, target: state.target + URGENCY * (3 - left) }
}

/**
 * Decides the parameters of the next trial: the first where the curve predicts the goal, then by lambda where that can reach it,
 * else by the tables' scale. Done when a trial lies in target..target + slack or none are left. (`plan/probe` turns
 * one knob of an encoder that is not ours.)
 */
export const nextParameters = (trials: readonly TrialScore[], wanted: SearchState): Next => {
  const state = raised(trials, wanted)
  const goal = goalOf(state)
  if (trials.length === 0)
    return {
      kind: 'try',
      quality: clamp(state.start ?? qualityAt(state.curve, goal), state),
      lambdaScale: USUAL_LAMBDA_SCALE,
    }
  if (trials.length >= wanted.trials || trials.some((p) => isNear(p, wanted))) return { kind: 'done' }
  const near = byGap(trials, goal)[0]!
  const isNew = (parameters: Parameters): boolean => !trials.some((p) => same(p, parameters))
  const choices = [
    followsLambda(near, state) ? refine(trials, near, goal) : undefined,
    finestTables(near, goal),
    secantStep(trials, state),
  ]
  const parameters = choices.find((choice) => choice !== undefined && isNew(choice))
  return parameters ? { kind: 'try', ...parameters } : { kind: 'done' }
}

/** Whether what is lacking follows lambda: where contours bound some trial, only in one that keeps them and scores too little. */
const followsLambda = ({ score, place }: TrialScore, { onlyTables = false, target }: SearchState): boolean =>
  !onlyTables || (score < target && place !== undefined && place >= target)

/** Points above the target at which the cheapest trial that reaches it lies, where one that misses it is cheaper by `worth`, as a part, or less; else 0. */
export const slackOfBracket = (
  trials: readonly (TrialScore & { rateEstimate: number })[],
  target: number,
  worth: number,
): number => {
  const reaching = trials.filter(({ score }) => score >= target).toSorted((a, b) => a.rateEstimate - b.rateEstimate)[0]
  if (reaching === undefined) return 0
  const saves = trials
    .filter(({ score, rateEstimate }) => score < target && rateEstimate < reaching.rateEstimate)
    .map(({ rateEstimate }) => 1 - rateEstimate / reaching.rateEstimate)
  return saves.some((part) => part <= worth) ? reaching.score - target : 0
}

/** Whether a trial lies in target..target + slack. */
export const isNear = ({ score }: TrialScore, { target, slack }: SearchState): boolean =>
  score >= target && score <= target + slack

const same = (a: Parameters, b: Parameters): boolean =>
  Math.abs(a.quality - b.quality) < 0.01 && Math.abs(a.lambdaScale / b.lambdaScale - 1) < 0.001

/** The lambda, at the tables of the nearest trial, that should meet the goal; undefined where that would cost bytes. */
const refine = (trials: readonly TrialScore[], near: TrialScore, goal: number): Parameters | undefined => {
  const beside = trials.filter((p) => p.quality === near.quality)
  const distortion = meet(beside, near, goal)
  const lambdaScale = distortion > 0 ? lambdaScaleOf(distortion) : Number.POSITIVE_INFINITY
  const leeway = beside.length > 1 ? LAMBDA_LEEWAY : 1
  return lambdaScale > LEAST_LAMBDA_SCALE / leeway &&
    (lambdaScale < MOST_LAMBDA_SCALE * leeway || near.quality >= FINEST_QUALITY)
    ? { quality: near.quality, lambdaScale: Math.min(LARGEST_LAMBDA_SCALE, lambdaScale) }
    : undefined
}

/** The distortion at which the goal is met: between trials on either side of it, else from the nearest. */
const meet = (points: readonly TrialScore[], near: TrialScore, goal: number): number => {
  const others = byGap(points, goal).filter((p) => p !== near)
  const across = others.find((p) => p.score < goal !== near.score < goal)
  const from = distortionOf(near.lambdaScale)
  if (across) return from + (distortionOf(across.lambdaScale) - from) * partOfWay(points, [near, across], goal)
  const usualCost = scoreLossOf(near.quality, near.score)
  const other = others[0]
  const measured = other ? (other.score - near.score) / (from - distortionOf(other.lambdaScale)) : usualCost
  return from - (goal - near.score) / Math.max(usualCost * 0.4, Math.min(usualCost * 2.5, measured))
}

/** Where the tables can be no finer, only lambda helps. */
const finestTables = (near: TrialScore, goal: number): Parameters | undefined =>
  near.quality >= FINEST_QUALITY && near.score < goal && near.lambdaScale < LARGEST_LAMBDA_SCALE
    ? { quality: FINEST_QUALITY, lambdaScale: Math.min(LARGEST_LAMBDA_SCALE, near.lambdaScale * 4) }
    : undefined

/** The quality that should meet the goal at the usual lambda: between trials on either side of it, or along the curve beyond them. */
const secantStep = (trials: readonly TrialScore[], state: SearchState): Parameters => {
  const goal = goalOf(state)
  const points = trials.map(atUsual)
  const above = points.filter((p) => p.score >= goal).toSorted((a, b) => a.quality - b.quality)[0]
  const under = points.filter((p) => p.score < goal && (!above || p.quality < above.quality))
  const below = under.toSorted((a, b) => b.quality - a.quality)[0]
  const quality = above && below ? between(points, [below, above], goal) : beyond(points, (above ?? below)!, state)
  return { quality: clamp(quality, state), lambdaScale: USUAL_LAMBDA_SCALE }
}

const atUsual = (trial: TrialScore): TrialScore => {
  const distortion = distortionOf(USUAL_LAMBDA_SCALE) - distortionOf(trial.lambdaScale)
  return {
    ...trial,
    lambdaScale: USUAL_LAMBDA_SCALE,
    score: trial.score - distortion * scoreLossOf(trial.quality, trial.score),
  }
}

const between = (points: readonly TrialScore[], [a, b]: [TrialScore, TrialScore], goal: number): number =>
  a.quality + (b.quality - a.quality) * partOfWay(points, [a, b], goal)

/**
 * Where between two trials the goal is expected; kept off both ends, and in the middle when the last two trials came out on the same side,
 * so that the bracket always shrinks.
 */
const partOfWay = (points: readonly TrialScore[], [a, b]: [TrialScore, TrialScore], goal: number): number => {
  const [last, before] = points.toReversed()
  const stuck = points.length > 2 && last!.score < goal === before!.score < goal
  return stuck ? 0.5 : Math.max(0.1, Math.min(0.9, (goal - a.score) / (b.score - a.score)))
}

/** Points that first-pass statistics learnt with the help of earlier ones gain on top: the median of leaps, from quality 50 to 60, gone by 35 and by 90. */
const gainOfRepeatedPass = (quality: number): number =>
  0.3 * Math.max(0, Math.min(1, (quality - 35) / 15, (90 - quality) / 30))

/** Points that a search goes on at least after a second step in vain, and by how much more with each further one: tables that are hardly others tell nothing. */
const LEAST_STEP = 0.5
const MORE_IN_VAIN = 1.5

/** The least points to go on by after so many steps in vain. */
export const leastStep = (inVain: number): number => (inVain > 1 ? LEAST_STEP * MORE_IN_VAIN ** (inVain - 2) : 0)

/** Along the curve, as fast as two trials showed this image to move. */
const beyond = (points: readonly TrialScore[], near: TrialScore, state: SearchState): number => {
  const far = byGap(points, goalOf(state)).find((p) => p.quality !== near.quality)
  const predicted = scoreAt(state.curve, near.quality)
  const pace = far ? (near.score - far.score) / (predicted - scoreAt(state.curve, far.quality)) : 1
  const wanted = goalOf(state) - gainOfRepeatedPass(near.quality) - near.score
  const gap = Math.sign(wanted) * Math.max(Math.abs(wanted), leastStep(points.length - 1))
  const move = qualityAt(state.curve, predicted + gap / Math.max(0.4, Math.min(2.5, pace))) - near.quality
  return near.quality + Math.max(-40, Math.min(40, move))
}
