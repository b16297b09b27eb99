import type { Extent } from '../core/image.ts'
import type { View } from './view.ts'

/** What a pixel of the result is made of along one side: four neighbours, and their weights, for each. */
interface Taps {
  readonly from: Int32Array
  readonly weights: Float64Array
}

const TAPS = 4

/**
 * Enlarges a view by Catmull-Rom splines, with the centres of both images at the same place: libvips moves what it enlarges
 * by up to half a source px, which is more than the difference between a picture and its copy of another size.
 */
export const enlarge = (view: View, { width, height }: Extent): View => along(along(view, 'x', width), 'y', height)

const along = (view: View, axis: 'x' | 'y', to: number): View => {
  const from = axis === 'x' ? view.width : view.height
  if (from === to) return view
  const size = axis === 'x' ? { width: to, height: view.height } : { width: view.width, height: to }
  const taps = tapsOf(from, to)
  return { ...size, channels: 3, data: axis === 'x' ? acrossRows(view, taps, to) : downColumns(view, taps, to) }
}

const tapsOf = (from: number, to: number): Taps => {
  const taps = { from: new Int32Array(to * TAPS), weights: new Float64Array(to * TAPS) }
  for (let at = 0; at < to; at++) {
    const centre = ((at + 0.5) * from) / to - 0.5
    const first = Math.floor(centre) - 1
    for (let k = 0; k < TAPS; k++) {
      taps.from[at * TAPS + k] = Math.min(from - 1, Math.max(0, first + k))
      taps.weights[at * TAPS + k] = catmullRom(Math.abs(centre - first - k))
    }
  }
  return taps
}

const catmullRom = (x: number): number => {
  if (x >= 2) return 0
  return x < 1 ? (1.5 * x - 2.5) * x * x + 1 : ((-0.5 * x + 2.5) * x - 4) * x + 2
}

const acrossRows = ({ data, width, height }: View, { from, weights }: Taps, to: number): Uint8Array => {
  const out = new Uint8ClampedArray(to * height * 3)
  for (let y = 0, at = 0; y < height; y++) {
    const row = y * width
    for (let x = 0; x < to * TAPS; x += TAPS) {
      const [a, b, c, d] = [row + from[x]!, row + from[x + 1]!, row + from[x + 2]!, row + from[x + 3]!]
      for (let channel = 0; channel < 3; channel++, at++) {
        out[at] =
          data[3 * a + channel]! * weights[x]! +
          data[3 * b + channel]! * weights[x + 1]! +
          data[3 * c + channel]! * weights[x + 2]! +
          data[3 * d + channel]! * weights[x + 3]!
      }
    }
  }
  return new Uint8Array(out.buffer)
}

const downColumns = ({ data, width }: View, { from, weights }: Taps, to: number): Uint8Array => {
  const row = width * 3
  const out = new Uint8ClampedArray(to * row)
  for (let y = 0, at = 0; y < to * TAPS; y += TAPS) {
    const [a, b, c, d] = [row * from[y]!, row * from[y + 1]!, row * from[y + 2]!, row * from[y + 3]!]
    for (let x = 0; x < row; x++, at++) {
      out[at] =
        data[a + x]! * weights[y]! +
        data[b + x]! * weights[y + 1]! +
        data[c + x]! * weights[y + 2]! +
        data[d + x]! * weights[y + 3]!
    }
  }
  return new Uint8Array(out.buffer)
}
