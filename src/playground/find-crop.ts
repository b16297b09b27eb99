import type { Extent, Point } from '../core/image.ts'
import { placeWindow } from '../plan/window.ts'

/** Grey values from 0 to 255, row by row. */
export interface Grey extends Extent {
  readonly data: ArrayLike<number>
}

const differenceAt = (whole: Grey, part: Grey, left: number, top: number): number => {
  let sum = 0
  for (let y = 0; y < part.height; y++) {
    const from = (top + y) * whole.width + left
    for (let x = 0; x < part.width; x++) sum += Math.abs(whole.data[from + x]! - part.data[y * part.width + x]!)
  }
  return sum
}

/** Positions to test for the left and the top edge of the part, in px. */
export interface SearchRange {
  readonly left: readonly [from: number, to: number]
  readonly top: readonly [from: number, to: number]
}

/** Returns the centre of the part as fractions of the whole. */
const centreOf = (whole: Extent, part: Extent, { left, top }: { left: number; top: number }): Point => ({
  x: (left + part.width / 2) / whole.width,
  y: (top + part.height / 2) / whole.height,
})

const everywhere = (whole: Extent, part: Extent): SearchRange => ({
  left: [0, Math.max(0, whole.width - part.width)],
  top: [0, Math.max(0, whole.height - part.height)],
})

/**
 * Returns the focal point of a crop, by template matching. Moves `part` over `whole` at the same scale. The position with the
 * smallest sum of absolute differences wins.
 */
export const findCrop = (whole: Grey, part: Grey, range: SearchRange = everywhere(whole, part)): Point => {
  let best = { left: 0, top: 0, difference: Number.POSITIVE_INFINITY }
  for (let top = range.top[0]; top <= range.top[1]; top++)
    for (let left = range.left[0]; left <= range.left[1]; left++) {
      const difference = differenceAt(whole, part, left, top)
      if (difference < best.difference) best = { left, top, difference }
    }
  return centreOf(whole, part, best)
}

/** Returns the range for the search in large copies: two px of the small copies around the point found in them. */
export const rangeAround = (at: Point, whole: Extent, part: Extent, small: Extent): SearchRange => {
  const around = (fraction: number, length: number, own: number, coarse: number): readonly [number, number] => {
    const start = fraction * length - own / 2
    const reach = (2 * length) / coarse
    const end = Math.max(0, length - own)
    return [Math.max(0, Math.floor(start - reach)), Math.min(end, Math.ceil(start + reach))]
  }
  return {
    left: around(at.x, whole.width, part.width, small.width),
    top: around(at.y, whole.height, part.height, small.height),
  }
}

/** Returns the sizes of the copies for {@link findCrop}. `longerSide` is that of the source's copy, in px. */
export const searchSizes = (
  source: Extent,
  result: Extent,
  longerSide: number,
): { readonly whole: Extent; readonly part: Extent } => {
  const scale = longerSide / Math.max(source.width, source.height)
  const whole = size({ width: source.width * scale, height: source.height * scale })
  const { width, height } = placeWindow(whole, result, { x: 0.5, y: 0.5 })
  const part = size({ width, height })
  return { whole, part: { width: Math.min(part.width, whole.width), height: Math.min(part.height, whole.height) } }
}

const size = ({ width, height }: Extent): Extent => ({
  width: Math.max(1, Math.round(width)),
  height: Math.max(1, Math.round(height)),
})
