/** One measured point of a quality search: the encoder's setting and the score that its decoded output reached. */
export interface Probe {
  readonly setting: number
  readonly score: number
}

/** What a search along one encoder setting may do. A higher setting means a higher score, apart from small noise. */
export interface Axis {
  readonly min: number
  readonly max: number
  /** Smallest step that makes a difference. */
  readonly step: number
  /** Typical target-to-setting curve, from measurement: [score, setting] pairs, rising. */
  readonly curve: readonly (readonly [score: number, setting: number])[]
}

/** The scores that end a search: at least `score`, and at most `slack` above it. */
export interface Goal {
  readonly score: number
  readonly slack: number
}

export type NextProbe = { readonly kind: 'try'; readonly setting: number } | { readonly kind: 'stop' }

/** Interpolates a rising curve at `x`; beyond its ends the nearest end's slope goes on. */
export const interpolate = (curve: readonly (readonly [number, number])[], x: number): number => {
  const after = curve.findIndex(([at]) => at >= x)
  const end = after === -1 ? curve.length - 1 : Math.max(1, after)
  const [x0, y0] = curve[end - 1]!
  const [x1, y1] = curve[end]!
  return y0 + ((x - x0) / (x1 - x0)) * (y1 - y0)
}

const quantise = (axis: Axis, setting: number): number =>
  Math.min(axis.max, Math.max(axis.min, Math.round(setting / axis.step) * axis.step))

/** Aim a little above the goal, so that an error of half the slack still passes. */
const aimAt = (goal: Goal): number => goal.score + goal.slack * 0.4

/** The measured slope is believed within these bounds of the typical one: noise makes short ones wild. */
const FLATTEST = 0.6
const STEEPEST = 2.5

/**
 * Moves the nearest point's setting along the typical curve by the score that it lacks (or has in excess), as fast as the
 * two nearest points showed this image to move.
 */
const shift = (axis: Axis, probes: readonly Probe[], aim: number): number => {
  const [near, far] = probes.toSorted((a, b) => Math.abs(a.score - aim) - Math.abs(b.score - aim))
  const along = (from: number, to: number): number => interpolate(axis.curve, to) - interpolate(axis.curve, from)
  const pace =
    far === undefined || far.score === near!.score ? 1 : (near!.setting - far.setting) / along(far.score, near!.score)
  return near!.setting + along(near!.score, aim) * Math.min(STEEPEST, Math.max(FLATTEST, pace))
}

/**
 * Decides the next setting to encode with, from what was measured so far: the typical curve first, then that curve
 * shifted through the measured point, then interpolation inside the bracket. Stops when the best passing probe is within
 * the slack, when no setting is left between the best passing and the best failing one, or after `most` probes —
 * unless nothing has passed yet, when it climbs on to the end of the axis.
 */
export const nextProbe = (axis: Axis, goal: Goal, probes: readonly Probe[], most: number): NextProbe => {
  const aim = aimAt(goal)
  if (probes.length === 0) return { kind: 'try', setting: quantise(axis, interpolate(axis.curve, aim)) }
  const passing = probes.filter((probe) => probe.score >= goal.score)
  const high = passing.toSorted((a, b) => a.setting - b.setting)[0]
  const below = probes.filter((probe) => probe.score < goal.score && (!high || probe.setting < high.setting))
  const low = below.toSorted((a, b) => b.setting - a.setting)[0]
  if (high && (high.score <= goal.score + goal.slack || probes.length >= most)) return { kind: 'stop' }
  const floor = low ? low.setting + axis.step : axis.min
  const ceiling = high ? high.setting - axis.step : axis.max
  if (floor > ceiling + axis.step * 1e-6) return { kind: 'stop' }
  const guess =
    low && high
      ? low.setting + ((aim - low.score) / (high.score - low.score)) * (high.setting - low.setting)
      : shift(axis, probes, aim)
  const setting = Math.min(ceiling, Math.max(floor, quantise(axis, guess)))
  return { kind: 'try', setting: quantise(axis, setting) }
}
