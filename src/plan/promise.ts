import type { Bounds } from './targets.ts'

/** The figures that bounds are set on; each may be worked out when it is first read. */
export type PromisedScores = Bounds

/** A bound by its name. */
export type BoundName = keyof Bounds

/** The bounds, the cheapest to measure first, and how each figure keeps its own. */
const RULES: readonly (readonly [name: BoundName, keeps: (figure: number, bound: number) => boolean])[] = [
  ['tileColour', (shift, most) => shift <= most],
  ['contour', (step, most) => step <= most],
  ['ssimulacra', (score, least) => score >= least],
  ['butteraugli3', (distance, most) => distance <= most],
]

/** Names every bound that is broken, one after the other: who stops at the first one pays for no further figure. NaN breaks every bound. */
export function* brokenBounds(scores: PromisedScores, bounds: Bounds): Generator<BoundName, void> {
  for (const [name, keeps] of RULES) if (!keeps(scores[name], bounds[name])) yield name
}
