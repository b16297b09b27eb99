import type { Examined } from '../../../formats/format.ts'

/** Points of effective score by which an e-fold of what a bit is worth lowers a frame's, about. */
const POINTS_PER_FOLD = 16
/** No step is larger, in e-folds; those up get shorter with each, for frames fail suddenly where flat places begin to change. */
const FARTHEST = 0.9
const SHORTER = 0.75
/** A failing share comes down by no less. */
const LEAST_DOWN = 0.08
/** Points above the goal that are aimed at, and beyond which a share goes up: frames lie over those before them, whose changes tell on them too. */
const AIMED_ABOVE = 0.8
const MUCH_ABOVE = 1.6
/** A share that keeps its bounds by less than so many points comes down a little as well where another fails. */
const NARROWLY = 0.5
const A_LITTLE = 0.03

/** What a bit is worth in each share of an animation's frames, in e-folds: each share has a sampled frame in its middle. */
export type ShareRates = readonly number[]

/** The share that a frame belongs to. */
export const shareOf = (frame: number, frames: number, shares: number): number =>
  Math.min(shares - 1, Math.floor(((frame + 0.5) * shares) / frames))

const stepOf = ({ keeps, effective }: Pick<Examined, 'keeps' | 'effective'>, goal: number, tries: number): number => {
  const above = effective - goal
  const step = (above - AIMED_ABOVE) / POINTS_PER_FOLD
  if (!keeps) return Math.max(-FARTHEST, Math.min(-LEAST_DOWN, step))
  if (above < NARROWLY) return -A_LITTLE
  return above < MUCH_ABOVE ? 0 : Math.min(FARTHEST, step) * SHORTER ** tries
}

/** What to try next after the sampled frames were examined, which were tried `tries` times before; undefined where all are well. */
export const nextRates = (
  rates: ShareRates,
  examined: readonly Pick<Examined, 'keeps' | 'effective'>[],
  { goal, tries }: { readonly goal: number; readonly tries: number },
): ShareRates | undefined => {
  const steps = examined.map((one) => stepOf(one, goal, tries))
  const areWell = examined.every(({ keeps }) => keeps) && steps.every((step) => step <= 0)
  return areWell ? undefined : rates.map((rate, i) => rate + steps[i]!)
}
