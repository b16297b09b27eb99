import { type Curve, costOfHarm, harmOf, qualityAt, scoreAt, strictnessOf } from './quality-prediction.ts'

/** What the search turns: the place in the family of tables, and what error costs against bits. */
export type Knobs = { quality: number; strictness: number }

/** One probe: what was tried and how it scored. */
export type Probe = Knobs & { score: number }

/**
 * How near to the target is near enough, above it: `slack` points; how many probes at most; what is foreseen; the coarsest
 * quality; and the one to start at, when more is known than the curve.
 */
export type Aim = { target: number; slack: number; probes: number; curve: Curve; lowest: number; start?: number }

/** What to try next, or that the search is over. */
export type Next = ({ kind: 'try' } & Knobs) | { kind: 'done' }

/** From here every step is 1. */
const highest = 99.5

/**
 * Strictness that costs no bytes at equal score (docs/jpeg-encoder.md): it starts in the middle, and in there it meets the goal,
 * because the score follows it smoothly; the tables' steps are whole numbers, which makes it jump by up to half a point.
 */
const usual = 1.2
const softest = 0.85
const hardest = 2.6
/** After a second probe at the same tables, other ones cost more time than a little strictness costs in bytes. */
const leeway = 1.3

/** At this the trellis keeps nearly all that rounding does. */
const strictest = 64

const clamp = (quality: number, { lowest }: Aim): number => Math.max(lowest, Math.min(highest, quality))
const byGap = <P extends Probe>(probes: readonly P[], goal: number): P[] =>
  probes.toSorted((a, b) => Math.abs(a.score - goal) - Math.abs(b.score - goal))

/** The goal is the middle of target..target + slack. */
export const goalOf = ({ target, slack }: Pick<Aim, 'target' | 'slack'>): number => target + slack / 2

/** With the last two probes the goal rises by so much each, while nothing has reached the target: too good is better than missed. */
const urgency = 0.6

const raised = (probes: readonly Probe[], aim: Aim): Aim => {
  const left = aim.probes - probes.length
  if (left > 2 || probes.some((p) => p.score >= aim.target)) return aim
  return { ...aim, target: aim.target + urgency * (3 - left) }
}

/**
 * Decides the knobs of the next probe: the first where the curve foresees the goal, then by strictness where that can reach it,
 * else by the tables' scale. Done when a probe lies in target..target + slack or none are left. (`plan/probe` turns
 * one knob of an encoder that is not ours.)
 */
export const nextKnobs = (probes: readonly Probe[], wanted: Aim): Next => {
  const aim = raised(probes, wanted)
  const goal = goalOf(aim)
  if (probes.length === 0)
    return { kind: 'try', quality: clamp(aim.start ?? qualityAt(aim.curve, goal), aim), strictness: usual }
  if (probes.length >= wanted.probes || probes.some((p) => isNear(p, wanted))) return { kind: 'done' }
  const near = byGap(probes, goal)[0]!
  const isNew = (knobs: Knobs): boolean => !probes.some((p) => same(p, knobs))
  const choices = [refine(probes, near, goal), harder(near, goal), leap(probes, aim)]
  const knobs = choices.find((choice) => choice !== undefined && isNew(choice))
  return knobs ? { kind: 'try', ...knobs } : { kind: 'done' }
}

const isNear = ({ score }: Probe, { target, slack }: Aim): boolean => score >= target && score <= target + slack

const same = (a: Knobs, b: Knobs): boolean =>
  Math.abs(a.quality - b.quality) < 0.01 && Math.abs(a.strictness / b.strictness - 1) < 0.001

/** The strictness, at the tables of the nearest probe, that should meet the goal; undefined where that would cost bytes. */
const refine = (probes: readonly Probe[], near: Probe, goal: number): Knobs | undefined => {
  const beside = probes.filter((p) => p.quality === near.quality)
  const harm = meet(beside, near, goal)
  const strictness = harm > 0 ? strictnessOf(harm) : Number.POSITIVE_INFINITY
  const room = beside.length > 1 ? leeway : 1
  return strictness > softest / room && (strictness < hardest * room || near.quality >= highest)
    ? { quality: near.quality, strictness: Math.min(strictest, strictness) }
    : undefined
}

/** The harm at which the goal is met: between probes on either side of it, else from the nearest. */
const meet = (points: readonly Probe[], near: Probe, goal: number): number => {
  const others = byGap(points, goal).filter((p) => p !== near)
  const across = others.find((p) => p.score < goal !== near.score < goal)
  const from = harmOf(near.strictness)
  if (across) return from + (harmOf(across.strictness) - from) * partOfWay(points, [near, across], goal)
  const usualCost = costOfHarm(near.quality, near.score)
  const other = others[0]
  const measured = other ? (other.score - near.score) / (from - harmOf(other.strictness)) : usualCost
  return from - (goal - near.score) / Math.max(usualCost * 0.4, Math.min(usualCost * 2.5, measured))
}

/** Where the tables can be no finer, only strictness helps. */
const harder = (near: Probe, goal: number): Knobs | undefined =>
  near.quality >= highest && near.score < goal && near.strictness < strictest
    ? { quality: highest, strictness: Math.min(strictest, near.strictness * 4) }
    : undefined

/** The quality that should meet the goal at the usual strictness: between probes on either side of it, or along the curve beyond them. */
const leap = (probes: readonly Probe[], aim: Aim): Knobs => {
  const goal = goalOf(aim)
  const points = probes.map(atUsual)
  const above = points.filter((p) => p.score >= goal).toSorted((a, b) => a.quality - b.quality)[0]
  const under = points.filter((p) => p.score < goal && (!above || p.quality < above.quality))
  const below = under.toSorted((a, b) => b.quality - a.quality)[0]
  const edge = (above ?? below)!
  const far = byGap(points, goal).find((p) => p.quality !== edge.quality)
  const quality = above && below ? between(points, [below, above], goal) : beyond(edge, far, aim)
  return { quality: clamp(quality, aim), strictness: usual }
}

const atUsual = (probe: Probe): Probe => {
  const harm = harmOf(usual) - harmOf(probe.strictness)
  return { ...probe, strictness: usual, score: probe.score - harm * costOfHarm(probe.quality, probe.score) }
}

const between = (points: readonly Probe[], [a, b]: [Probe, Probe], goal: number): number =>
  a.quality + (b.quality - a.quality) * partOfWay(points, [a, b], goal)

/**
 * Where between two probes the goal is expected; kept off both ends, and in the middle when the last two probes came out on the same side,
 * so that the bracket always shrinks.
 */
const partOfWay = (points: readonly Probe[], [a, b]: [Probe, Probe], goal: number): number => {
  const [last, before] = points.toReversed()
  const stuck = points.length > 2 && last!.score < goal === before!.score < goal
  return stuck ? 0.5 : Math.max(0.1, Math.min(0.9, (goal - a.score) / (b.score - a.score)))
}

/** Points that lessons learnt with the help of earlier ones gain on top: the median of leaps, up to quality 60, gone by 90. */
const helpedLessons = (quality: number): number => 0.3 * Math.max(0, Math.min(1, (90 - quality) / 30))

/** Along the curve, as fast as two probes showed this image to move. */
const beyond = (near: Probe, far: Probe | undefined, aim: Aim): number => {
  const foreseen = scoreAt(aim.curve, near.quality)
  const pace = far ? (near.score - far.score) / (foreseen - scoreAt(aim.curve, far.quality)) : 1
  const gap = goalOf(aim) - helpedLessons(near.quality) - near.score
  const move = qualityAt(aim.curve, foreseen + gap / Math.max(0.4, Math.min(2.5, pace))) - near.quality
  return near.quality + Math.max(-40, Math.min(40, move))
}
