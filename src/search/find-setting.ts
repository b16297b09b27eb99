/**
 * Finds the smallest setting whose margin is at least 0, where the margin rises with the setting apart from noise.
 * The algorithm is bracketing: regula falsi along a prior curve, and bisection where one end of the bracket stays
 * (Brent, Algorithms for Minimization without Derivatives, 1973, chapter 4).
 * It knows nothing of images: callers negate a setting whose larger values are worse.
 */
import { type Curve, clamp, inverse, valueAt } from './curve.ts'
import type { ExpectedSaving, NextSetting, SettingProblem, SettingTrial, StopReason } from './setting-problem.ts'

/** Two trials around a margin of 0: the smallest setting that passes, and the largest below it that fails. */
interface Bracket {
  readonly fails: SettingTrial | undefined
  readonly passes: SettingTrial | undefined
}

const bySetting = (a: SettingTrial, b: SettingTrial): number => a.setting - b.setting

const bracketOf = (trials: readonly SettingTrial[]): Bracket => {
  const sorted = trials.toSorted(bySetting)
  const passes = sorted.find(({ margin }) => margin >= 0)
  const fails = sorted.findLast(
    ({ margin, setting }) => margin < 0 && (passes === undefined || setting < passes.setting),
  )
  return { fails, passes }
}

/** The best trial: the smallest setting that passes; undefined where none does. */
export const smallestPassing = <T extends SettingTrial>(trials: readonly T[]): T | undefined =>
  trials.filter(({ margin }) => margin >= 0).toSorted(bySetting)[0]

/** Measured rises of bytes are believed within this factor of the usual rise. */
const MAX_RISE_FACTOR = 1.75

/** Rise of the natural logarithm of bytes per unit of margin, between two trials that differ by more than noise. */
const riseOf = (trials: readonly SettingTrial[], noise: number, { rise }: ExpectedSaving): number => {
  const known = trials.filter(({ margin, bytes }) => bytes !== undefined && Number.isFinite(margin))
  const last = known.at(-1)
  const other = known.findLast(({ margin }) => Math.abs(margin - last!.margin) > 2 * noise)
  if (last === undefined || other === undefined) return rise
  const measured = Math.log(last.bytes! / other.bytes!) / (last.margin - other.margin)
  return clamp(measured, rise / MAX_RISE_FACTOR, rise * MAX_RISE_FACTOR)
}

/** Share by which each further trial raises the margin that `saving` tolerates: later trials cost the same and save less. */
const TOLERANCE_GROWTH = 0.2

/** The margin up to which a passing trial is good enough. */
const toleranceOf = ({ tolerance, noise, saving }: SettingProblem, trials: readonly SettingTrial[]): number => {
  if (saving === undefined) return tolerance
  const growth = 1 + TOLERANCE_GROWTH * Math.max(0, trials.length - 1)
  return Math.max(tolerance, (growth * saving.min) / riseOf(trials, noise, saving))
}

/** Share of the passing trial's bytes that the lowest setting left in the bracket can save: one step above the failing one. */
const bracketSaving = ({ fails, passes }: Bracket, step: number): number =>
  fails?.bytes === undefined || passes?.bytes === undefined
    ? 1
    : (1 - fails.bytes / passes.bytes) * (1 - step / (passes.setting - fails.setting))

/** The margin that the next trial aims at: above 0 by one deviation of the noise and of the step, where the tolerance allows it. */
const aimOf = (problem: SettingProblem, trials: readonly SettingTrial[]): number => {
  const { noise, aimShare = 0, maxTrials, maxFailing = maxTrials } = problem
  const last = trials.at(-1)?.margin ?? 0
  const missed = Number.isFinite(last) ? aimShare * last : 0
  const usual = Math.min(Math.hypot(noise, missed), toleranceOf(problem, trials) / 2)
  const left = maxFailing - trials.length
  // The last two trials aim higher while nothing passes: an excess is better than a miss.
  return left > 2 || trials.some(({ margin }) => margin >= 0) ? usual : usual + 2 * noise * (3 - left)
}

/** Slope of the image divided by that of the prior, moved towards 1 where noise could explain the difference. */
const paceOf = ({ prior, slopeSpread, noise }: SettingProblem, near: SettingTrial, far: SettingTrial): number => {
  const expected = valueAt(prior, near.setting) - valueAt(prior, far.setting)
  const limit = Math.exp(2 * slopeSpread)
  const measured = clamp((near.margin - far.margin) / expected, 1 / limit, limit)
  const trust = slopeSpread ** 2 / (slopeSpread ** 2 + 2 * (noise / expected) ** 2)
  return measured ** trust
}

/** The setting at which the prior, moved through `near` and stretched by `pace`, has risen by `gap`. */
const alongPrior = (prior: Curve, near: SettingTrial, gap: number): number =>
  valueAt(inverse(prior), valueAt(prior, near.setting) + gap)

/** Factor per trial on the step, while trials differ by noise alone. */
const EXPANSION = 2

/** A guess beyond `end`, the outermost trial where all lie on one side: along the prior, or half way to the end of the axis. */
const beyond = (problem: SettingProblem, trials: readonly SettingTrial[], end: SettingTrial): number => {
  const { prior, noise, axis, maxJump = Number.POSITIVE_INFINITY } = problem
  if (!Number.isFinite(end.margin)) return (end.setting + (end.margin < 0 ? axis.max : axis.min)) / 2
  const distance = ({ margin }: SettingTrial): number => Math.abs(margin - end.margin)
  const far = trials
    .filter(({ setting, margin }) => setting !== end.setting && Number.isFinite(margin))
    .toSorted((a, b) => distance(a) - distance(b))[0]
  const gap = aimOf(problem, trials) - end.margin
  const onPlateau = trials.filter((trial) => distance(trial) <= noise).length
  const least = onPlateau > 1 ? noise * EXPANSION ** (onPlateau - 1) : 0
  const wanted = Math.sign(gap) * Math.max(Math.abs(gap), least)
  const pace = far === undefined ? 1 : paceOf(problem, end, far)
  return end.setting + clamp(alongPrior(prior, end, wanted / pace) - end.setting, -maxJump, maxJump)
}

/** A guess keeps this share of the bracket off both ends, so that the bracket shrinks. */
const OFF_ENDS = 0.1

/** Weight of the margin of an end that stays, for each further trial that the other end takes (the Illinois rule of regula falsi). */
const ILLINOIS = 0.5

/** A guess inside a bracket: where the prior, bent through both ends, meets the aim; the middle where a margin is infinite. */
const between = (
  problem: SettingProblem,
  trials: readonly SettingTrial[],
  [fails, passes]: readonly [SettingTrial, SettingTrial],
): number => {
  const { prior } = problem
  const width = passes.setting - fails.setting
  const aim = aimOf(problem, trials)
  const side = trials.at(-1)!.margin < 0
  const streak = trials.length - 1 - trials.findLastIndex(({ margin }) => margin < 0 !== side)
  const weightOf = (end: SettingTrial): number => (end.margin < 0 === side ? 1 : ILLINOIS ** (streak - 1))
  const [below, above] = [(fails.margin - aim) * weightOf(fails), (passes.margin - aim) * weightOf(passes)]
  if (!Number.isFinite(above - below)) return fails.setting + width / 2
  const pace = (above - below) / (valueAt(prior, passes.setting) - valueAt(prior, fails.setting))
  const guess = alongPrior(prior, fails, -below / pace)
  return clamp(guess, fails.setting + width * OFF_ENDS, passes.setting - width * OFF_ENDS)
}

const guessOf = (problem: SettingProblem, trials: readonly SettingTrial[]): number => {
  const { fails, passes } = bracketOf(trials)
  if (fails && passes) return between(problem, trials, [fails, passes])
  const end = passes ?? fails
  if (end !== undefined) return beyond(problem, trials, end)
  return problem.start ?? valueAt(inverse(problem.prior), aimOf(problem, trials))
}

const stopReason = (problem: SettingProblem, trials: readonly SettingTrial[]): StopReason | undefined => {
  const { axis, maxTrials, maxFailing = maxTrials, minBracket = axis.step, saving } = problem
  const bracket = bracketOf(trials)
  const { fails, passes } = bracket
  if (passes !== undefined && passes.margin <= toleranceOf(problem, trials)) return 'tolerance'
  if (saving !== undefined && bracketSaving(bracket, axis.step) <= saving.min) return 'saving'
  const lowest = fails?.setting ?? axis.min - axis.step
  const highest = passes?.setting ?? axis.max + axis.step
  const narrow = passes === undefined ? axis.step : minBracket
  if (highest - lowest < narrow + axis.step / 2) return 'bracket'
  return trials.length >= (passes === undefined ? maxFailing : maxTrials) ? 'trials' : undefined
}

/** The next setting to try after `trials`, in their order; pure, so that any loop can drive it. */
export const nextSetting = (problem: SettingProblem, trials: readonly SettingTrial[]): NextSetting => {
  const reason = stopReason(problem, trials)
  if (reason !== undefined) return { kind: 'stop', reason }
  const { axis } = problem
  const { fails, passes } = bracketOf(trials)
  const onAxis = Math.round(guessOf(problem, trials) / axis.step) * axis.step
  const floor = fails === undefined ? axis.min : fails.setting + axis.step
  const ceiling = passes === undefined ? axis.max : passes.setting - axis.step
  return { kind: 'trial', setting: clamp(onAxis, floor, ceiling) }
}
