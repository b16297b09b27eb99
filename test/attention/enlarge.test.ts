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

describe('an enlarged view', () => {
  it.each([
    [416, 416],
    [640, 427],
    [100, 300],
  ])('of %i x %i px shows everything where it was, and as it was', (width, height) => {
    const large = enlarge(spot(100, 80), { width, height })
    const { x, y } = middleOf(large)
    // A tenth of a px of the source: libvips moves by up to half of one.
    expect([Math.abs(x - 0.4) < 0.001, Math.abs(y - 0.3) < 0.001]).toEqual([true, true])
    expect(farthest(large, spot(width, height))).toBeLessThanOrEqual(3)
  })

  it('of one px is that px throughout', () => {
    const one = draw({ width: 1, height: 1 }, () => [9, 8, 7]) as View
    expect(new Set(enlarge(one, { width: 5, height: 4 }).data)).toEqual(new Set([9, 8, 7]))
  })
})
