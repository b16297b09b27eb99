import type { Extent } from '../core/image.ts'
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
export const enlarge = (view: View, { width, height }: Extent, filter: Filter = LANCZOS3): View =>
  along(along(view, 'x', width, filter), 'y', height, filter)

const along = (view: View, axis: 'x' | 'y', to: number, filter: Filter): View => {
  const from = axis === 'x' ? view.width : view.height
  if (from === to) return view
  const size = axis === 'x' ? { width: to, height: view.height } : { width: view.width, height: to }
  const taps = tapsOf(from, to, filter)
  return { ...size, channels: 3, data: axis === 'x' ? acrossRows(view, taps, to) : downColumns(view, taps, to) }
}

/** For each result pixel along one side: `count` source pixels, and their weights, which sum to 1. */
interface Taps {
  readonly count: number
  readonly from: Int32Array
  readonly weights: Float64Array
}

const tapsOf = (from: number, to: number, { reach, weigh }: Filter): Taps => {
  const count = 2 * reach
  const taps = { count, from: new Int32Array(to * count), weights: new Float64Array(to * count) }
  for (let at = 0; at < to; at++) {
    const centre = ((at + 0.5) * from) / to - 0.5
    const first = Math.floor(centre) - reach + 1
    const weights = Array.from({ length: count }, (_, k) => weigh(Math.abs(centre - first - k)))
    const sum = weights.reduce((all, weight) => all + weight, 0)
    for (let k = 0; k < count; k++) {
      taps.from[at * count + k] = Math.min(from - 1, Math.max(0, first + k))
      taps.weights[at * count + k] = weights[k]! / sum
    }
  }
  return taps
}

const acrossRows = ({ data, width, height }: View, { count, from, weights }: Taps, to: number): Uint8Array => {
  const out = new Uint8ClampedArray(to * height * 3)
  const ends = to * count
  for (let y = 0, at = 0; y < height; y++) {
    const row = 3 * y * width
    for (let first = 0; first < ends; first += count, at += 3) {
      let red = 0
      let green = 0
      let blue = 0
      for (let k = first; k < first + count; k++) {
        const pixel = row + 3 * from[k]!
        const weight = weights[k]!
        red += data[pixel]! * weight
        green += data[pixel + 1]! * weight
        blue += data[pixel + 2]! * weight
      }
      out[at] = red
      out[at + 1] = green
      out[at + 2] = blue
    }
  }
  return new Uint8Array(out.buffer)
}

const downColumns = ({ data, width }: View, { count, from, weights }: Taps, to: number): Uint8Array => {
  const row = width * 3
  const out = new Uint8ClampedArray(to * row)
  const sums = new Float64Array(row)
  for (let y = 0; y < to; y++) {
    sums.fill(0)
    for (let k = y * count; k < (y + 1) * count; k += 2)
      addRows(sums, data, [row * from[k]!, row * from[k + 1]!], [weights[k]!, weights[k + 1]!])
    out.set(sums, y * row)
  }
  return new Uint8Array(out.buffer)
}

/** Adds two weighted rows. Each pixel has an even number of taps. */
const addRows = (
  sums: Float64Array,
  data: Uint8Array,
  [a, b]: readonly [number, number],
  [ofA, ofB]: readonly [number, number],
): void => {
  for (let x = 0; x < sums.length; x++) sums[x] = sums[x]! + data[a + x]! * ofA + data[b + x]! * ofB
}
