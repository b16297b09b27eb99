import { describe, expect, it } from 'vitest'
import { enlarge } from '../../src/attention/enlarge.ts'
import type { View } from '../../src/attention/view.ts'
import { draw, farthest } from '../raster/drawings.ts'

/** A soft spot, its middle at 40 and 30 % of the sides. */
const spot = (width: number, height: number): View =>
  draw({ width, height }, (x, y) => {
    const off = ((x + 0.5) / width - 0.4) ** 2 + ((y + 0.5) / height - 0.3) ** 2
    const value = Math.round(250 * Math.exp(-off / 0.01))
    return [value, 255 - value, 7]
  }) as View

/** The middle of what is bright, as shares of the sides. */
const middleOf = ({ data, width, height }: View): { x: number; y: number } => {
  let [sum, x, y] = [0, 0, 0]
  for (let at = 0; at < width * height; at++) {
    sum += data[3 * at]!
    x += data[3 * at]! * ((at % width) + 0.5)
    y += data[3 * at]! * (Math.floor(at / width) + 0.5)
  }
  return { x: x / sum / width, y: y / sum / height }
}

describe('enlarge', () => {
  it.each([
    [416, 416],
    [640, 427],
    [100, 300],
  ])('keeps positions and colours at %i x %i px', (width, height) => {
    const large = enlarge(spot(100, 80), { width, height })
    const { x, y } = middleOf(large)
    // A tenth of a px of the source: libvips moves by up to half of one.
    expect([Math.abs(x - 0.4) < 0.001, Math.abs(y - 0.3) < 0.001]).toEqual([true, true])
    expect(farthest(large, spot(width, height))).toBeLessThanOrEqual(3)
  })

  it('keeps the contrast of stripes of three px, which splines soften', () => {
    const stripes = draw({ width: 96, height: 8 }, (x) => {
      const value = Math.round(128 + 100 * Math.cos((2 * Math.PI * x) / 3))
      return [value, value, value]
    }) as View
    const contrastOf = ({ data, width }: View): number => {
      const row = [...data.subarray(0, 3 * width)].slice(30, -30)
      return Math.max(...row) - Math.min(...row)
    }
    const spline = {
      reach: 2,
      weigh: (x: number) => (x < 1 ? (1.5 * x - 2.5) * x * x + 1 : ((2.5 - 0.5 * x) * x - 4) * x + 2),
    }
    const size = { width: 192, height: 16 }
    expect(contrastOf(enlarge(stripes, size))).toBeGreaterThan(1.1 * contrastOf(enlarge(stripes, size, spline)))
  })

  it('repeats a single px', () => {
    const one = draw({ width: 1, height: 1 }, () => [9, 8, 7]) as View
    expect(new Set(enlarge(one, { width: 5, height: 4 }).data)).toEqual(new Set([9, 8, 7]))
  })
})
