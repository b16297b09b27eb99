import type { Extent } from '../core/image.ts'
import { clamp } from '../search/curve.ts'
import type { View } from './view.ts'

/** A resampling filter: the weight at a distance in source px, which is 0 from `reach` on. */
export interface Filter {
  readonly reach: number
  readonly weigh: (distance: number) => number
}

const LANCZOS3: Filter = {
  reach: 3,
  weigh: (distance) => {
    if (distance === 0) return 1
    const angle = Math.PI * distance
    return (3 * Math.sin(angle) * Math.sin(angle / 3)) / angle ** 2
  },
}

/**
 * Enlarges a view with the centres of both images aligned. libvips shifts by up to half a source px, which is more than
 * the difference between a picture and its resized copy. Lanczos3 keeps the contrast of fine detail, on which the networks
 * depend.
 */
export const enlarge = (view: View, { width, height }: Extent, filter: Filter = LANCZOS3): View => {
  const wide = view.width === width ? view : transpose(stretchDown(transpose(view), width, filter))
  return wide.height === height ? wide : stretchDown(wide, height, filter)
}

/** Swaps rows and columns. */
const transpose = ({ data, width, height }: View): View => {
  const swapped = new Uint8Array(data.length)
  for (let y = 0, from = 0; y < height; y++) {
    for (let x = 0; x < width; x++, from += 3) {
      const to = 3 * (x * height + y)
      swapped[to] = data[from]!
      swapped[to + 1] = data[from + 1]!
      swapped[to + 2] = data[from + 2]!
    }
  }
  return { width: height, height: width, channels: 3, data: swapped }
}

/** A view of another height. Each row is a mean of `2 * reach` rows. */
const stretchDown = ({ data, width, height }: View, to: number, { reach, weigh }: Filter): View => {
  const row = 3 * width
  const out = new Uint8ClampedArray(to * row)
  const sums = new Float64Array(row)
  for (let y = 0; y < to; y++) {
    const centre = ((y + 0.5) * height) / to - 0.5
    const first = Math.floor(centre) - reach + 1
    const weights = Array.from({ length: 2 * reach }, (_, k) => weigh(Math.abs(centre - first - k)))
    const total = weights.reduce((all, weight) => all + weight, 0)
    sums.fill(0)
    weights.forEach((weight, k) => {
      addRow(sums, data, row * clamp(first + k, 0, height - 1), weight / total)
    })
    out.set(sums, y * row)
  }
  return { width, height: to, channels: 3, data: new Uint8Array(out.buffer) }
}

const addRow = (sums: Float64Array, data: Uint8Array, start: number, weight: number): void => {
  for (let x = 0; x < sums.length; x++) sums[x]! += data[start + x]! * weight
}
