import { clamp } from '../../search/curve.ts'
import type { Found } from '../boxes.ts'

/** The side along which the window moves. */
export type WindowAxis = 'x' | 'y'

/** A range along one side, in shares of it. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

/** A range to show, with its weight and the worth of showing a share of it. */
export interface ScenePart extends Stretch {
  readonly weight: number
  readonly worth: (kept: number) => number
}

/** The share of a range that a window shows. */
export const keptOf = ({ from, to }: Stretch, start: number, share: number): number =>
  Math.max(0, Math.min(to, start + share) - Math.max(from, start)) / (to - from)

/** The whole is worth 1; a part is worth less than its share. */
export const preferWhole = (kept: number): number => (kept + kept * kept) / 2

/** The whole is worth 1, two thirds are worth 0, and half is worth less: another window shows those who fit. */
export const avoidHalves = (kept: number): number => kept * (3 * kept - 2)

/** Cut share of a head at which the rest is worth 0. */
const MAX_CUT = 0.2

/** The whole head is worth 1, and cuts quickly cost all of that, so that nothing below the head outweighs its last part. */
export const refuseCuts = (kept: number): number => Math.max(0, 1 - (1 - kept) / MAX_CUT)

/** A part is worth its share. */
export const takeShare = (kept: number): number => kept

/** The worth relative to what the window can hold: if the range is longer, as much as fits is the whole. */
export const ofWhatFits = ({ from, to }: Stretch, share: number, worth: ScenePart['worth']): ScenePart['worth'] => {
  const fits = Math.min(1, share / (to - from))
  return (kept) => worth(Math.min(1, kept / fits))
}

/** 0 up to the first bound, 1 from the second. */
export const rampUp = (value: number, [least, most]: readonly [number, number]): number =>
  clamp((value - least) / (most - least), 0, 1)

/** A region with its weight. */
export interface WeightedRegion<T extends Found = Found> {
  readonly region: T
  readonly weight: number
}

/** Distributes `total` among regions by weight, and less if none is certain; the result is continuous. */
export const shareOut = <T extends Found>(
  weighed: readonly WeightedRegion<T>[],
  total: number,
  certain: readonly [number, number],
): WeightedRegion<T>[] => {
  const certainty = ({ region }: WeightedRegion<T>): number => rampUp(region.score, certain)
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
