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

describe('crop=auto', () => {
  it.each([20, 80, 150, 230, 280])('keeps a subject at %i px across', async (x) => {
    const pixels = discAt(x, 50)
    const point = await findFocus([pixels], { width: 50, height: 50 })
    const window = placeWindow(pixels, { width: 50, height: 50 }, point)
    expect(window.left).toBeLessThanOrEqual(Math.max(0, x - 14) + 0.5)
    expect(window.left + window.width).toBeGreaterThanOrEqual(Math.min(300, x + 14) - 0.5)
  })

  it.each([15, 85])('keeps a subject at %i px down', async (y) => {
    const point = await findFocus([discAt(150, y)], { width: 300, height: 33 })
    expect(Math.abs(point.y * 100 - y)).toBeLessThan(12)
  })

  it('keeps a subject on transparency', async () => {
    const { x } = await findFocus([discAt(240, 50, [0, 0, 0, 0])], { width: 10, height: 10 })
    expect(Math.abs(x * 300 - 240)).toBeLessThan(40)
  })

  it('is centred between two equal subjects if both fit', async () => {
    const left = discAt(110, 50)
    const both = { ...left, data: left.data.map((sample, at) => (sample === 120 ? discRight.data[at]! : sample)) }
    const window = placeWindow(both, { width: 150, height: 100 }, await findFocus([both], { width: 150, height: 100 }))
    expect(window.left).toBeLessThanOrEqual(96)
    expect(window.left + window.width).toBeGreaterThanOrEqual(204)
  })
  const discRight = discAt(190, 50)

  it('is centred on an even image', async () => {
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

describe('crop=auto of unusual images', () => {
  const WIDE = { width: 100, height: 20 }
  const noise = (x: number, y: number): Colour => {
    const value = (Math.sin(x * 12.9898 + y * 78.233) * 43758.5453) % 1
    return [Math.abs(value) * 255, Math.abs(value * 7.1) % 255, Math.abs(value * 3.3) * 77]
  }

  it.each<[string, Raster]>([
    ['white', draw(SIZE, () => [255, 255, 255])],
    ['black', draw(SIZE, () => [0, 0, 0])],
    ['transparent', draw(SIZE, () => [0, 0, 0, 0])],
    ['transparent white', draw(SIZE, () => [255, 255, 255, 0])],
  ])('is centred on a %s image', async (_, image) => {
    const { x, y } = await findFocus([image], { width: 50, height: 50 })
    expect([x, y]).toEqual([expect.closeTo(0.5, 6), expect.closeTo(0.5, 6)])
  })

  it.each<[string, Raster]>([
    ['noise', draw({ width: 200, height: 200 }, noise)],
    ['10000 x 20 px', draw({ width: 10_000, height: 20 }, (x) => (x > 8000 ? [255, 0, 0] : [90, 90, 90]))],
    ['20 x 10000 px', draw({ width: 20, height: 10_000 }, (_, y) => (y > 8000 ? [255, 0, 0] : [90, 90, 90]))],
    ['one column', draw({ width: 1, height: 300 }, (_, y) => [y % 256, y % 256, y % 256])],
    ['one pixel', draw({ width: 1, height: 1 }, () => [1, 2, 3])],
  ])('returns a point for %s', async (_, image) => {
    const { x, y } = await findFocus([image], WIDE)
    expect([x >= 0 && x <= 1, y >= 0 && y <= 1]).toEqual([true, true])
  })

  it('keeps a white sign on transparency', async () => {
    const { x } = await findFocus([discAt(60, 50, [255, 255, 255, 0])], { width: 40, height: 40 })
    expect(Math.abs(x * 300 - 60)).toBeLessThan(40)
  })

  it('finds the same point at every size of the picture', async () => {
    const at = (scale: number): Raster =>
      draw({ width: 300 * scale, height: 100 * scale }, (x, y) => {
        const far = (x / scale - 220) ** 2 + (y / scale - 50) ** 2 > 500
        return far ? [120, 130, 120] : [230, 60, 40]
      })
    const points = await Promise.all([1, 2, 4].map((scale) => findFocus([at(scale)], WIDE)))
    for (const { x, y } of points)
      expect([Math.abs(x - points[0]!.x) < 0.01, Math.abs(y - points[0]!.y) < 0.01]).toEqual([true, true])
  })
})
