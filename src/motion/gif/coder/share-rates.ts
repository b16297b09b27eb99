/**
 * Finds the worth of a bit in each share of an animation's frames. Every share has a search of its own (`search/find-setting`);
 * one encode of the whole animation is the next trial of all of them.
 */
import { nextSetting, smallestPassing } from '../../../search/find-setting.ts'
import type { SettingProblem, SettingTrial } from '../../../search/setting-problem.ts'
import { FITTED_RATES } from './share-rates.fitted.ts'

/** Natural logarithm of the error that one bit is worth, by share; each share has a sampled frame: its middle, of the last share the end. */
export type ShareRates = readonly number[]

/** One encode: its rates, and how many points of score each sampled frame lies above its goal. */
export interface RateTrial {
  readonly rates: ShareRates
  readonly margins: readonly number[]
}

/** Margin in points that is small enough. */
const TOLERANCE = 1.6
/** The largest change of a rate. */
const MAX_JUMP = 1.4
const AXIS = { min: -6, max: 6, step: 0.02 }

/** The share that a frame belongs to. */
export const shareOf = (frame: number, frames: number, shares: number): number =>
  Math.min(shares - 1, Math.floor(((frame + 0.5) * shares) / frames))

/** The solver's settings are negated rates: a larger one loses less. */
const problemOf = (start: number, maxTrials: number): SettingProblem => ({
  axis: AXIS,
  prior: [
    [start, 0],
    [start + 1, FITTED_RATES.pointsPerFold],
  ],
  slopeSpread: 0.35,
  noise: FITTED_RATES.noise,
  tolerance: TOLERANCE,
  maxTrials,
  maxJump: MAX_JUMP,
  minBracket: 0.08,
})

/** The trials of one share. Of those with one setting the last counts, since other shares have changed. */
const trialsOf = (trials: readonly RateTrial[], share: number): SettingTrial[] => [
  ...new Map(
    trials.map(({ rates, margins }) => [-rates[share]!, { setting: -rates[share]!, margin: margins[share]! }] as const),
  ).values(),
]

const nextOf = (problem: SettingProblem, trials: readonly SettingTrial[]): number => {
  const next = nextSetting(problem, trials)
  return next.kind === 'trial' ? next.setting : (smallestPassing(trials) ?? trials.at(-1)!).setting
}

/** The next trial of every share; undefined where no rate changes. */
const searchedRates = (trials: readonly RateTrial[], maxTrials: number): ShareRates | undefined => {
  if (trials.length >= maxTrials) return undefined
  const last = trials.at(-1)!.rates
  const problem = (share: number) => problemOf(-trials[0]!.rates[share]!, maxTrials)
  const next = last.map((_, share) => -nextOf(problem(share), trialsOf(trials, share)))
  return next.every((rate, share) => rate === last[share]) ? undefined : next
}

/**
 * The rates of the last trial, lowered where a share fails, at most to the next one that passed before; undefined where none fails.
 * Shares before the first failing one keep their frames and margins, since a frame depends on those before it alone.
 */
const repairedRates = (trials: readonly RateTrial[]): ShareRates | undefined => {
  const { rates, margins } = trials.at(-1)!
  if (margins.every((margin) => margin >= 0)) return undefined
  return rates.map((rate, share) => {
    const margin = margins[share]!
    if (margin >= 0) return rate
    const fall = Math.min(MAX_JUMP, (TOLERANCE - margin) / FITTED_RATES.pointsPerFold)
    const passed = trials.filter((trial) => trial.margins[share]! >= 0).map((trial) => trial.rates[share]!)
    return Math.max(rate - fall, ...passed.filter((one) => one < rate))
  })
}

/**
 * The rates of the next encode after one or more trials; undefined where no share has any left to try. Shares move each other's margins,
 * and one encode must pass in all of them: where the last of `maxTrials` does not, as many more repair it share by share.
 */
export const nextRates = (trials: readonly RateTrial[], maxTrials: number): ShareRates | undefined => {
  const next = searchedRates(trials, maxTrials)
  if (next !== undefined || trials.length >= 2 * maxTrials) return next
  return repairedRates(trials)
}
