import type { Bounds } from './targets.ts'

/** The figures that bounds are set on, as they count; each may be worked out when it is first read. */
export type PromisedScores = Bounds

/** A bound by its name. */
export type BoundName = keyof Bounds

/**
 * Points by which the worst region of 256 x 256 px may lie below the score. A small photograph in a screenshot has hardly a say
 * in a palette, nor in the whole's score: without this such regions were up to 18 points worse than the whole.
 */
const WORST_BELOW = 10
/**
 * Times the bound that Butteraugli's 3-norm of the worst square of 64 px may be. Flat ground around it has as much say in that of the whole:
 * letters on a wide desktop had lost the smoothing of their rims, and a tomato before a blurred ground showed blocks, at 1.5 to 1.6 times the bound.
 */
const WORST_SQUARE = 4 / 3

/** SSIMULACRA 2.1 as it counts: that of the whole, or what the worst region's comes to, if less. */
export const countedScore = (whole: number, worstRegion: number): number => Math.min(whole, worstRegion + WORST_BELOW)

/** Butteraugli's 3-norm as it counts: that of the whole, or what the worst square's comes to, if more. */
export const countedDistance = (whole: number, worstSquare: number): number =>
  Math.max(whole, worstSquare / WORST_SQUARE)

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
