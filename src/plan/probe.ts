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

/** The setting where an image on this curve reaches a score. */
export const settingFor = (axis: Axis, score: number): number => quantise(axis, interpolate(axis.curve, score))

/** Aim a little above the goal, so that an error of half the slack still passes. */
export const aimAt = (goal: Goal): number => goal.score + goal.slack * 0.4

/** The measured pace is believed within these bounds of the typical one, and wholly only from points this far apart in score. */
const SLOWEST = 0.6
const FASTEST = 2.5
const FAR_APART = 6

/**
 * How many times as far this image's settings lie apart as the typical curve says, by the two probes nearest to `score`;
 * points that are close together tell more of noise than of pace.
 */
const paceOf = ({ curve }: Pick<Axis, 'curve'>, near: Probe, far: Probe | undefined): number => {
  if (far === undefined || far.score === near.score) return 1
  const typical = interpolate(curve, near.score) - interpolate(curve, far.score)
  const measured = Math.min(FASTEST, Math.max(SLOWEST, (near.setting - far.setting) / typical))
  const trust = Math.min(1, Math.abs(near.score - far.score) / FAR_APART)
  return 1 + (measured - 1) * trust
}

const byNearness = (probes: readonly Probe[], score: number): readonly Probe[] =>
  probes.toSorted((a, b) => Math.abs(a.score - score) - Math.abs(b.score - score))

/**
 * The typical curve, moved through the probe that is nearest to `score` and stretched to the pace of the next one: where
 * this image is likely to be.
 */
export const fitCurve = (axis: Pick<Axis, 'curve'>, probes: readonly Probe[], score: number): Axis['curve'] => {
  const [near, far] = byNearness(probes, score)
  if (near === undefined) return axis.curve
  const pace = paceOf(axis, near, far)
  const origin = interpolate(axis.curve, near.score)
  return axis.curve.map(([at, setting]) => [at, near.setting + (setting - origin) * pace] as const)
}

/**
 * Decides the next setting to encode with, from what was measured so far: the typical curve first, then that curve
 * shifted through the measured point, then interpolation inside the bracket. Stops when the best passing probe is within
 * the slack, when no setting is left between the best passing and the best failing one, or after `most` probes —
 * unless nothing has passed yet, when it goes on to the end of the axis.
 */
export const nextProbe = (axis: Axis, goal: Goal, probes: readonly Probe[], most: number): NextProbe => {
  const aim = aimAt(goal)
  if (probes.length === 0) return { kind: 'try', setting: settingFor(axis, aim) }
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
      : interpolate(fitCurve(axis, probes, aim), aim)
  const setting = Math.min(ceiling, Math.max(floor, quantise(axis, guess)))
  return { kind: 'try', setting: quantise(axis, setting) }
}
