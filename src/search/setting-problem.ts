import type { Curve } from './curve.ts'

/** One measured setting. */
export interface SettingTrial {
  readonly setting: number
  /** At least 0 where every bound is kept. Infinity or -Infinity where only the side is known. */
  readonly margin: number
  /** Size of the result, where it is known. */
  readonly bytes?: number
}

/** The settings that exist: multiples of `step` between `min` and `max`. */
export interface SettingAxis {
  readonly min: number
  readonly max: number
  readonly step: number
}

/** The axis, the prior and the limits of a search for a setting. */
export interface SettingProblem {
  readonly axis: SettingAxis
  /** Expected margin by setting; both rise. With `start`, a constant may be missing: differences alone are used. */
  readonly prior: Curve
  /** Standard deviation of ln(slope of the image / slope of the prior): 0.35 to 0.5 is usual. */
  readonly slopeSpread: number
  /** Standard deviation of a margin around a smooth curve. */
  readonly noise: number
  /** Share of the last trial's margin by which the next trial aims above 0: what its step usually misses by. 0 unless given. */
  readonly aimShare?: number
  /** A margin from 0 up to this ends the search; `saving` may raise it. With 0 and without `saving`, only a closed bracket or the number of trials ends it. */
  readonly tolerance: number
  /** Maximum number of trials. `maxFailing` replaces it while every trial fails. */
  readonly maxTrials: number
  readonly maxFailing?: number
  /** The first setting. Unless given, where the prior expects a margin just above 0. */
  readonly start?: number
  /** The largest step beyond a trial without a bracket, in settings. Unlimited unless given. */
  readonly maxJump?: number
  /** A bracket up to this wide is not divided further, in settings: `axis.step` unless given. */
  readonly minBracket?: number
  /** Ends a search whose next trial is expected to save less than a share of the bytes. */
  readonly saving?: ExpectedSaving
}

/** Saving that another trial must be able to reach. */
export interface ExpectedSaving {
  /** Share of the bytes, 0..1. */
  readonly min: number
  /** Usual rise of the natural logarithm of bytes per unit of margin. */
  readonly rise: number
}

/** The setting of the next trial, or why none follows. */
export type NextSetting =
  | { readonly kind: 'trial'; readonly setting: number }
  | { readonly kind: 'stop'; readonly reason: StopReason }

/** `tolerance`: a passing margin is small enough, or worth too few bytes. `saving`: the failing end of the bracket is hardly smaller. `bracket`: no setting is left to try. */
export type StopReason = 'tolerance' | 'saving' | 'bracket' | 'trials'
