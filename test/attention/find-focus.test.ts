import { describe, expect, it } from 'vitest'
import { findFocus } from '../../src/attention/find-attention.ts'
import type { Raster } from '../../src/core/image.ts'
import { placeWindow } from '../../src/plan/window.ts'
import { type Colour, draw } from '../raster/drawings.ts'

const SIZE = { width: 300, height: 100 }

/** A checked disc of 16 px around a point, on a plain ground. */
const discAt = (atX: number, atY: number, ground: Colour = [120, 120, 120]): Raster =>
  draw(SIZE, (x, y) => {
    if ((x - atX) ** 2 + (y - atY) ** 2 > 256) return ground
    return ((x >> 2) + (y >> 2)) % 2 === 0 ? [250, 240, 230] : [20, 30, 40]
  })

describe('crop=auto keeps what there is to see', () => {
  it.each([20, 80, 150, 230, 280])('a subject in the middle of %i px', async (x) => {
    const pixels = discAt(x, 50)
    const point = await findFocus([pixels], { width: 50, height: 50 })
    const window = placeWindow(pixels, { width: 50, height: 50 }, point)
    expect(window.left).toBeLessThanOrEqual(Math.max(0, x - 14))
    expect(window.left + window.width).toBeGreaterThanOrEqual(Math.min(300, x + 14))
  })

  it.each([15, 85])('a subject at the height of %i px', async (y) => {
    const point = await findFocus([discAt(150, y)], { width: 300, height: 33 })
    expect(Math.abs(point.y * 100 - y)).toBeLessThan(12)
  })

  it('a subject on transparency', async () => {
    const { x } = await findFocus([discAt(240, 50, [0, 0, 0, 0])], { width: 10, height: 10 })
    expect(Math.abs(x * 300 - 240)).toBeLessThan(40)
  })

  it('the middle of two alike subjects, when both fit', async () => {
    const left = discAt(110, 50)
    const both = { ...left, data: left.data.map((sample, at) => (sample === 120 ? discRight.data[at]! : sample)) }
    const window = placeWindow(both, { width: 150, height: 100 }, await findFocus([both], { width: 150, height: 100 }))
    expect(window.left).toBeLessThanOrEqual(96)
    expect(window.left + window.width).toBeGreaterThanOrEqual(204)
  })
  const discRight = discAt(190, 50)

  it('the middle where there is nothing to see', async () => {
    const point = await findFocus([draw(SIZE, () => [9, 9, 9])], { width: 50, height: 50 })
    expect(point.x).toBeCloseTo(0.5, 6)
    expect(point.y).toBeCloseTo(0.5, 6)
  })

  it.each([
    [
      { width: 1, height: 1 },
      { width: 100, height: 10 },
    ],
    [
      { width: 2000, height: 1 },
      { width: 10, height: 10 },
    ],
    [
      { width: 1, height: 2000 },
      { width: 10, height: 300 },
    ],
  ])('some point of an image of %j for a crop of %j', async (size, output) => {
    const { x, y } = await findFocus([draw(size, (at) => [at & 255, 0, 0])], output)
    expect([x >= 0 && x <= 1, y >= 0 && y <= 1]).toEqual([true, true])
  })
})
