/** Searches one mode: the smallest strength that keeps every bound, by the solver of `src/search`. */
import { type Curve, clamp, inverse, valueAt } from '../../search/curve.ts'
import { nextSetting } from '../../search/find-setting.ts'
import { bindingConstraint, isFeasible } from '../../search/margins.ts'
import type { SettingProblem, SettingTrial } from '../../search/setting-problem.ts'
import type { Smoothing } from '../quantiser/encoder.ts'
import { butteraugliLevel, scoreKeeping } from './butteraugli-bound.ts'
import { fewestBytes, RISE_BY_TARGET } from './estimate-bytes.ts'
import { isTimeUp, type JpegGoal } from './goal.ts'
import { protectionAfter } from './protection.ts'
import { MAX_STRENGTH, parametersAt } from './strength.ts'
import type { Counts, JpegBound, JpegTrial, Trials } from './trials.ts'

/** The degree to which smooth areas are protected, 0 to 3, and the first strength. */
export interface JpegMode {
  readonly smooth: Smoothing
  readonly start: number
}

/** The search with one encoder: its bounds, its image's features, and the trials of all its modes. */
export interface EncoderSearch {
  readonly goal: JpegGoal
  /** The bounds that the reference measures, the cheapest first. */
  readonly bounds: readonly JpegBound[]
  readonly size: { readonly width: number; readonly height: number }
  /** Expected score by quality, and the expected `butteraugliLevel`. */
  readonly curve: Curve
  readonly level: number
  readonly maker: Trials
  readonly counts: Counts
  /** Immutable trials; a trial that is measured further is replaced. */
  trials: readonly JpegTrial[]
}

/** Why a mode ended: nothing more to gain, smooth areas need more protection, or every further file would exceed `goal.maxBytes`. */
export type ModeEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'protect'; readonly smooth: Smoothing; readonly after: JpegTrial }
  | { readonly kind: 'too-large' }

/** Standard deviation around a smooth curve by strength, in points: of a trial's score, and of its margin where Butteraugli is expected to bind; small images have the first (lab/search.md). */
const NOISE = { score: 0.15, butteraugli: 0.3 } as const
/** Butteraugli comparisons among the trials at hand after which none follows, where tiles are bounded. Two are usual. */
const MAX_COMPARISONS = 4
/** Distances from the target, in points of score. */
const NEAR = {
  /** Below the target: the tiles of the first trial above this are measured at once. */
  below: 3,
  /** Above it: a trial that keeps its tiles and is this near makes more protection useless. */
  above: 2,
} as const
/** Pixels up to which an image is small: its scores jump more, and its trials cost little. */
const SMALL_PIXELS = 100_000
/** The lowest strengths that are searched: smooth images keep low targets there. `shortSide` is for sides below 129 px: there SSIMULACRA 2.1 has fewer scales than it was made for. */
const MIN_STRENGTH = { usual: -160, shortSide: -60 } as const

const byBytes = (a: JpegTrial, b: JpegTrial): number => a.bytes - b.bytes

export const trialsOf = ({ trials }: EncoderSearch, { smooth }: Pick<JpegMode, 'smooth'>): readonly JpegTrial[] =>
  trials.filter(({ setting }) => setting.smooth === smooth)

/** The image's Butteraugli level: of the comparison nearest to the bound, else as predicted. */
const levelOf = ({ trials, level }: EncoderSearch): number => {
  const distance = ({ margins }: JpegTrial): number => Math.abs(margins.butteraugli!)
  const [near] = trials.filter(({ norm }) => norm !== undefined).toSorted((a, b) => distance(a) - distance(b))
  return near === undefined ? level : butteraugliLevel(near.score, near.norm!)
}

/** The score from which every bound is expected to be kept. */
const neededScore = (search: EncoderSearch): number => {
  const { target, butteraugli } = search.goal
  if (butteraugli === undefined || !search.bounds.includes('butteraugli')) return target
  return Math.max(target, scoreKeeping(butteraugli, levelOf(search)))
}

/** The quality at which every bound is expected to be kept at the usual lambda. */
export const expectedQuality = (search: EncoderSearch): number =>
  valueAt(inverse(search.curve), neededScore(search) + NOISE.score)

/** The smallest margin of a trial; where Butteraugli was not measured, as expected from the comparisons so far. */
export const expectedMargin = (search: EncoderSearch, { margins, score }: JpegTrial): number => {
  const { margin } = bindingConstraint(margins)!
  return margins.butteraugli === undefined ? Math.min(margin, score - neededScore(search)) : margin
}

/** Whether contours or colours of a tile broke their bounds in one of the trials. */
export const tilesFail = (trials: readonly JpegTrial[]): boolean =>
  trials.some(({ margins }) => (margins.tiles ?? 0) < 0)

const comparisonsIn = (trials: readonly JpegTrial[]): number => trials.filter(({ norm }) => norm !== undefined).length

/** A search ends when the next trial could save at most this share of the bytes. Larger shares saved trials for bytes (lab/search.md). */
const MIN_JPEG_SAVING = { usual: 0.06, medium: 0.08, small: 0.015 } as const
/** How much of what suits medium applies, 0 to 1 by target: at low and at high the same saves fewer trials for more bytes (lab/search.md). */
const MEDIUM: Curve = [
  [55, 0],
  [70, 1],
  [86, 0],
]

const isSmall = ({ size }: EncoderSearch): boolean => size.width * size.height < SMALL_PIXELS

const mediumPart = (search: EncoderSearch): number =>
  isSmall(search) ? 0 : clamp(valueAt(MEDIUM, search.goal.target), 0, 1)

const minSaving = (search: EncoderSearch): number => {
  const { usual, medium, small } = MIN_JPEG_SAVING
  return isSmall(search) ? small : usual + (medium - usual) * mediumPart(search)
}

/** The solver's problem: margins in points of score by strength. */
export const problemOf = (
  search: EncoderSearch,
  { start }: Pick<JpegMode, 'start'>,
  trials: readonly JpegTrial[],
): SettingProblem => {
  const { goal, size, curve } = search
  const maxTrials = goal.maxTrials ?? (isSmall(search) ? 9 : 7)
  return {
    axis: {
      min: Math.min(size.width, size.height) < 129 ? MIN_STRENGTH.shortSide : MIN_STRENGTH.usual,
      max: MAX_STRENGTH,
      step: 0.05,
    },
    prior: curve,
    slopeSpread: 0.45,
    noise: !isSmall(search) && neededScore(search) > goal.target ? NOISE.butteraugli : NOISE.score,
    aimShare: 0.25 * mediumPart(search),
    tolerance: 0,
    maxTrials: maxTrials + comparisonsIn(trials) + (tilesFail(trials) ? 2 : 0),
    start,
    maxJump: 40,
    saving: { min: minSaving(search), rise: valueAt(RISE_BY_TARGET, goal.target) },
  }
}

const toSettingTrial = (search: EncoderSearch, trial: JpegTrial): SettingTrial => ({
  setting: trial.strength,
  margin: expectedMargin(search, trial),
  bytes: trial.bytes,
})

const replace = (search: EncoderSearch, trial: JpegTrial, measured: JpegTrial): void => {
  search.trials = search.trials.map((one) => (one === trial ? measured : one))
}

/** Measures the next bound of a trial, the cheapest first. */
export const measureFurther = (search: EncoderSearch, trial: JpegTrial): void => {
  const { maker, bounds } = search
  const missing = bounds.find((bound) => trial.margins[bound] === undefined)
  if (missing !== undefined)
    replace(search, trial, missing === 'tiles' ? maker.measureTiles(trial) : maker.measureButteraugli(trial))
}

/** Whether a trial saves too little against one that keeps every bound: half of what another trial, which is dearer, has to save. */
const savesTooLittle = (search: EncoderSearch, { bytes }: JpegTrial, trials: readonly JpegTrial[]): boolean =>
  trials.some((other) => isFeasible(other.margins, search.bounds) && bytes > other.bytes * (1 - minSaving(search) / 2))

/** Measures the smallest trial that is expected to keep every bound. Returns false where none is left that is worth it. */
export const verifySmallest = (search: EncoderSearch, trials: readonly JpegTrial[]): boolean => {
  const smallest = trials.filter((trial) => expectedMargin(search, trial) >= 0).toSorted(byBytes)[0]
  if (smallest === undefined || savesTooLittle(search, smallest, trials)) return false
  if (smallest.margins.tiles !== undefined && comparisonsIn(trials) >= MAX_COMPARISONS) return false
  measureFurther(search, smallest)
  return true
}

/** Whether Butteraugli is expected to bind before SSIMULACRA, and no comparison has shown where. */
const needsComparison = (search: EncoderSearch): boolean =>
  comparisonsIn(search.trials) === 0 && neededScore(search) > search.goal.target

/** Makes the trial of a strength; its tiles are measured where they can decide. */
const makeTrial = (search: EncoderSearch, { smooth }: JpegMode, strength: number): JpegTrial => {
  const { maker, bounds, goal, curve } = search
  const trials = trialsOf(search, { smooth })
  const failed = tilesFail(trials)
  // Lambda hardly changes contours: where tiles failed, every strength has its own tables.
  const knownTables = failed ? [] : tablesOf(trials)
  const trial = maker.make({ ...parametersAt(strength, knownTables, curve), smooth }, strength)
  const isFirstNear = trial.score > goal.target - NEAR.below && !trials.some(({ tileScore }) => tileScore !== undefined)
  return bounds.includes('tiles') && (smooth > 0 || failed || isFirstNear) ? maker.measureTiles(trial) : trial
}

/** Tables that were tried, each by the first trial that used it: with the usual lambda, but for the finest tables. */
const tablesOf = (trials: readonly JpegTrial[]) => {
  const first = new Map<number, JpegTrial>()
  for (const trial of trials) if (!first.has(trial.setting.quality)) first.set(trial.setting.quality, trial)
  return [...first.values()].map(({ setting, score }) => ({ quality: setting.quality, score }))
}

/** More protection, where the tiles of a trial ask for it: the latest such trial decides. None where a trial near the target keeps its tiles. */
const neededProtection = (
  { goal }: EncoderSearch,
  { smooth }: JpegMode,
  trials: readonly JpegTrial[],
): ModeEnd | undefined => {
  const { target } = goal
  const isClose = ({ margins: { score = 0, tiles = -1 } }: JpegTrial): boolean =>
    tiles >= 0 && score >= 0 && score < NEAR.above
  if (isTimeUp(goal) || trials.some(isClose)) return undefined
  for (const after of trials.toReversed()) {
    const more = protectionAfter(after, target, smooth)
    if (more !== undefined) return { kind: 'protect', smooth: more, after }
  }
  return undefined
}

/** Whether every further file of this mode is expected to exceed `goal.maxBytes`, after its latest trial. */
const isTooLarge = (search: EncoderSearch, trials: readonly JpegTrial[], latest: JpegTrial): boolean => {
  const margin = comparisonsIn(trials) > 0 ? expectedMargin(search, latest) : bindingConstraint(latest.margins)!.margin
  return fewestBytes(latest.bytes, margin) > (search.goal.maxBytes ?? Number.POSITIVE_INFINITY)
}

/**
 * Runs one mode: trials until the solver stops. Then the smallest trial that is expected to keep every bound is measured further. A
 * comparison changes the expected margins of all trials, so the solver goes on. The first trial is made even where time is up.
 */
export const searchMode = (search: EncoderSearch, mode: JpegMode): ModeEnd => {
  for (;;) {
    const trials = trialsOf(search, mode)
    const protect = neededProtection(search, mode, trials)
    if (protect !== undefined) return protect
    if (trials.length > 0 && isTimeUp(search.goal)) return { kind: 'done' }
    // The prediction of Butteraugli errs by more than a trial can save: the first trial that may keep its bound is compared at once.
    if (needsComparison(search) && verifySmallest(search, trials)) continue
    const points = trials.map((trial) => toSettingTrial(search, trial))
    const next = nextSetting(problemOf(search, mode, trials), points)
    if (next.kind === 'stop') {
      if (!verifySmallest(search, trials)) return { kind: 'done' }
      continue
    }
    const trial = makeTrial(search, mode, next.setting)
    search.trials = [...search.trials, trial]
    if (isTooLarge(search, trials, trial)) return { kind: 'too-large' }
  }
}
