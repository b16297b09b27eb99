import { nextSetting, smallestPassing } from '../search/find-setting.ts'
import type { SettingProblem, SettingTrial } from '../search/setting-problem.ts'
import { FAILS_BY_SCORE } from './examine.ts'

/** Result of one index: `proven` if it passes, and its points above the goal if they are known. */
interface IndexOutcome {
  readonly proven?: unknown
  readonly above?: number | undefined
}

/** Indices to search, from `first` to `last`; a larger index keeps more of the image. */
export interface IndexRange {
  readonly first: number
  readonly last: number
  /** The first index to try. */
  readonly start: number
  /** Limits for trials that are expensive; without them the search ends at the lowest index that passes. */
  readonly limits?: Pick<SettingProblem, 'maxTrials' | 'minBracket'>
}

/** Limits for trials of a whole large image. Each takes seconds. */
export const WHOLE_IMAGE_LIMITS = { maxTrials: 5, minBracket: 3 } as const

/** Points by which a palette or a set of levels is usually nearer to the goal than the one an index before it. */
const POINTS_PER_INDEX = 1.5
/** The farthest step without a bracket, in indices. */
const MAX_JUMP = 12

/** The margin of an outcome; infinite where only the side is known. */
const marginOf = ({ proven, above = 0 }: IndexOutcome): number => {
  if (proven !== undefined) return above > 0 ? above : Number.POSITIVE_INFINITY
  return above < 0 ? Math.max(-FAILS_BY_SCORE, above) : Number.NEGATIVE_INFINITY
}

/** The lowest index that passes, with its outcome, if every larger one passes too; undefined where none was found. */
export const lowestIndex = <Outcome extends IndexOutcome>(
  { first, last, start, limits }: IndexRange,
  at: (index: number) => Outcome,
): { readonly index: number; readonly outcome: Outcome } | undefined => {
  const problem: SettingProblem = {
    axis: { min: first, max: last, step: 1 },
    prior: [
      [0, 0],
      [1, POINTS_PER_INDEX],
    ],
    slopeSpread: 0.35,
    noise: 0,
    tolerance: 0,
    maxTrials: Number.POSITIVE_INFINITY,
    maxJump: MAX_JUMP,
    start,
    ...limits,
  }
  const trials: (SettingTrial & { readonly outcome: Outcome })[] = []
  for (;;) {
    const next = nextSetting(problem, trials)
    if (next.kind === 'stop') break
    const outcome = at(next.setting)
    trials.push({ setting: next.setting, margin: marginOf(outcome), outcome })
  }
  const lowest = smallestPassing(trials)
  return lowest && { index: lowest.setting, outcome: lowest.outcome }
}
