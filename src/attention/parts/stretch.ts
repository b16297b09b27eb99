import { clamp } from '../../search/curve.ts'
import type { Region } from '../view.ts'

/** The side along which the window moves. */
export type WindowAxis = 'x' | 'y'

/** A window of `share` of the side along which it moves. */
export interface WindowSide {
  readonly axis: WindowAxis
  readonly share: number
}

/** A range along one side, in shares of it. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

/** A region along one side, widened by shares of its own size. */
export const stretchOn = (region: Region, axis: WindowAxis, before = 0, after = before): Stretch => {
  const [at, length] = axis === 'x' ? [region.x, region.width] : [region.y, region.height]
  return { from: clamp(at - before * length, 0, 1), to: clamp(at + length * (1 + after), 0, 1) }
}

export const lengthOf = ({ from, to }: Stretch): number => to - from

/** The share of a range that a window shows. */
export const keptOf = ({ from, to }: Stretch, start: number, share: number): number =>
  Math.max(0, Math.min(to, start + share) - Math.max(from, start)) / (to - from)

/** Whether the middle of a region lies within another. */
export const isMiddleWithin = (outer: Region, { x, y, width, height }: Region): boolean => {
  const [right, down] = [x + width / 2 - outer.x, y + height / 2 - outer.y]
  return right >= 0 && right <= outer.width && down >= 0 && down <= outer.height
}

/** 0 up to the first bound, 1 from the second. */
export const rampUp = (value: number, [least, most]: readonly [number, number]): number =>
  clamp((value - least) / (most - least), 0, 1)
