/** What the search turns: the place in the family of tables, and what error costs against bits (1 is usual). */
export type Knobs = { quality: number; strictness: number }

/** One probe: what was tried and how it scored. */
export type Probe = Knobs & { score: number }

/** How near to the target is near enough, above it: `slack` points; and how many probes at most. */
export type Aim = { target: number; slack: number; probes: number }

/** What to try next, or that the search is over. */
export type Next = ({ kind: 'try' } & Knobs) | { kind: 'done' }

/** Bounds of the tables' scale: below, all is blocks; above, every step is 1. */
const lowest = -60
const highest = 99.5

/** At this the trellis keeps nearly all that rounding does. */
const strictest = 64

/** Points of score a step of quality gains where nothing is measured yet. */
const usualSlope = (goal: number): number => (goal > 75 ? 0.6 : 0.45)

/** Points of score e times the strictness gains where nothing is measured yet. */
const usualGain = 2.5

/** Nearer than this (points) the tables stay: their steps are whole numbers, which makes the score jump by up to half a point. */
export const nearby = 0.8

/** Where the corpus' photographs reach a target on average. */
const firstGuess = (target: number): number => 52 + (target - 70) * (target < 70 ? 2 : 2.1)

const clamp = (quality: number): number => Math.max(lowest, Math.min(highest, quality))
const byGap = (probes: readonly Probe[], goal: number): Probe[] =>
  probes.toSorted((a, b) => Math.abs(a.score - goal) - Math.abs(b.score - goal))

/**
 * Decides the next probe: first by the corpus' average, then by secants in the tables' scale, at last by secants in the strictness at
 * the nearest tables. The goal is the middle of target..target + slack; done when a probe lies in there or none are left.
 */
export const nextProbe = (probes: readonly Probe[], aim: Aim): Next => {
  const { target, slack } = aim
  const goal = target + slack / 2
  const near = byGap(probes, goal)[0]
  if (!near) return { kind: 'try', quality: clamp(firstGuess(target)), strictness: 1 }
  if (Math.abs(near.score - goal) <= slack / 2 || probes.length >= aim.probes) return { kind: 'done' }
  const close = Math.abs(near.score - goal) < nearby
  const knobs = (close ? refine(probes, near, goal) : undefined) ?? harder(near, goal) ?? leap(probes, near, goal)
  return probes.some((p) => same(p, knobs)) ? { kind: 'done' } : { kind: 'try', ...knobs }
}

const same = (a: Knobs, b: Knobs): boolean =>
  Math.abs(a.quality - b.quality) < 0.01 && Math.abs(a.strictness - b.strictness) < 0.001

/** The strictness, at the tables of the nearest probe, that should meet the goal; undefined where that would be far from usual. */
const refine = (probes: readonly Probe[], near: Probe, goal: number): Knobs | undefined => {
  const other = byGap(probes, goal).find((p) => p !== near && p.quality === near.quality)
  const measured = other ? (near.score - other.score) / Math.log(near.strictness / other.strictness) : usualGain
  const gain = measured > 0 ? Math.max(0.8, Math.min(25, measured)) : usualGain
  const strictness = near.strictness * Math.exp((goal - near.score) / gain)
  return strictness > 0.6 && (strictness < 1.6 || near.quality >= highest)
    ? { quality: near.quality, strictness }
    : undefined
}

/** Where the tables can be no finer, only strictness helps. */
const harder = (near: Probe, goal: number): Knobs | undefined =>
  near.quality >= highest && near.score < goal && near.strictness < strictest
    ? { quality: highest, strictness: Math.min(strictest, near.strictness * 4) }
    : undefined

/** The quality that should meet the goal: inside the narrowest bracket of probes on either side of it, or beyond those on one side. */
const leap = (probes: readonly Probe[], near: Probe, goal: number): Knobs => {
  const above = probes.filter((p) => p.score >= goal).toSorted((a, b) => a.quality - b.quality)[0]
  const under = probes.filter((p) => p.score < goal && (!above || p.quality < above.quality))
  const below = under.toSorted((a, b) => b.quality - a.quality)[0]
  const edge = (above ?? below)!
  const other = byGap(probes, goal).find((p) => p.quality !== edge.quality)
  const quality = above && below ? between(below, above, goal) : beyond(edge, other, goal)
  return { quality: clamp(quality), strictness: near.strictness }
}

/** Kept off both ends, so that the bracket always shrinks. */
const between = (a: Probe, b: Probe, goal: number): number => {
  const part = (goal - a.score) / (b.score - a.score)
  return a.quality + (b.quality - a.quality) * Math.max(0.1, Math.min(0.9, part))
}

const beyond = (near: Probe, far: Probe | undefined, goal: number): number => {
  const usual = usualSlope(goal)
  const measured = far ? (near.score - far.score) / (near.quality - far.quality) : usual
  const slope = Math.max(usual * 0.4, Math.min(usual * 2.5, measured))
  return near.quality + Math.max(-40, Math.min(40, (goal - near.score) / slope))
}
