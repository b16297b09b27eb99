import type { Found } from '../boxes.ts'

/** The side along which a window can be placed. */
export type WindowAxis = 'x' | 'y'

/** A stretch along one side, in shares of it. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

/** A stretch that should be shown, with its weight and what showing a share of it is worth. */
export interface ScenePart extends Stretch {
  readonly weight: number
  readonly worth: (kept: number) => number
}

/** The share of a stretch that a window shows. */
export const keptOf = ({ from, to }: Stretch, start: number, share: number): number =>
  Math.max(0, Math.min(to, start + share) - Math.max(from, start)) / (to - from)

/** A part shown whole is worth 1; what is cut is worth less than its share. */
export const preferWhole = (kept: number): number => (kept + kept * kept) / 2

/** A part shown whole is worth 1, two thirds of one nothing, and half is worse than none: another window shows who fits. */
export const avoidHalves = (kept: number): number => kept * (3 * kept - 2)

/** Share by which a head may be cut before it is worth nothing to show the rest of it. */
const MOST_CUT = 0.2

/** A head shown whole is worth 1, and one that is cut soon nothing: so that the last bit of it is not given away for what lies below. */
export const refuseCuts = (kept: number): number => Math.max(0, 1 - (1 - kept) / MOST_CUT)

/** What is shown is worth its share. */
export const takeShare = (kept: number): number => kept

/** A worth of what a window shows of a stretch, in what it could show: where the stretch is longer, as much as fits is all of it. */
export const ofWhatFits = ({ from, to }: Stretch, share: number, worth: ScenePart['worth']): ScenePart['worth'] => {
  const fits = Math.min(1, share / (to - from))
  return (kept) => worth(Math.min(1, kept / fits))
}

export const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value))

/** 0 up to the first bound, 1 from the second. */
export const rampUp = (value: number, [least, most]: readonly [number, number]): number =>
  clamp((value - least) / (most - least), 0, 1)

/** A region and how much it counts. */
export interface Weighed<T extends Found = Found> {
  readonly region: T
  readonly weight: number
}

/** Shares `total` among regions by weight, less when none of them is certain: no small difference makes one all or nothing. */
export const shareOut = <T extends Found>(
  weighed: readonly Weighed<T>[],
  total: number,
  certain: readonly [number, number],
): Weighed<T>[] => {
  const certainty = ({ region }: Weighed<T>): number => rampUp(region.score, certain)
  const counted = weighed
    .map((one) => ({ ...one, weight: one.weight * certainty(one) }))
    .filter(({ weight }) => weight > 0)
  const sum = counted.reduce((all, { weight }) => all + weight, 0)
  const surest = Math.max(0, ...weighed.map(certainty))
  return counted.map(({ region, weight }) => ({ region, weight: (total * surest * weight) / sum }))
}

/** A region along one side, widened by shares of its own size. */
export const stretchOn = (region: Found, axis: WindowAxis, before: number, after: number): Stretch => {
  const [at, length] = axis === 'x' ? [region.x, region.width] : [region.y, region.height]
  return { from: clamp(at - before * length, 0, 1), to: clamp(at + length * (1 + after), 0, 1) }
}
