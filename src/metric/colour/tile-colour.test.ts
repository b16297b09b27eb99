import { describe, expect, it } from 'vitest'
import type { AnyRaster } from '../../core/image.ts'
import { colourShifts, gridOf, tileBox, tileColours } from './tile-colour.ts'

const drawn = (
  width: number,
  height: number,
  channels: AnyRaster['channels'],
  pixelAt: (x: number, y: number) => readonly number[],
): AnyRaster => {
  const data = new Uint8Array(width * height * channels)
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) data.set(pixelAt(x, y), (y * width + x) * channels)
  return { data, width, height, channels }
}

const largestShift = (one: AnyRaster, other: AnyRaster, background?: number): number =>
  Math.max(...colourShifts(tileColours(one, 16, background), tileColours(other, 16, background)))

describe('the mean colour of tiles', () => {
  it('is the colour of a plain tile, the same in grey and RGB, with alpha and without', () => {
    const rgb = drawn(40, 20, 3, () => [128, 128, 128])
    const grey = drawn(40, 20, 1, () => [128])
    const rgba = drawn(40, 20, 4, () => [128, 128, 128, 255])
    expect(tileColours(rgb, 16)).toHaveLength(2)
    expect(largestShift(grey, rgb)).toBeLessThan(1e-9)
    expect(largestShift(rgba, rgb, 0)).toBeLessThan(1e-9)
    expect(tileColours(rgb, 16)[0]!.l).toBeCloseTo(53.585, 2)
  })

  it('is the same for a chessboard and for the grey of as much light', () => {
    const board = drawn(16, 16, 1, (x, y) => [(x + y) % 2 === 0 ? 0 : 255])
    expect(tileColours(board, 16)[0]!.l).toBeCloseTo(
      tileColours(
        drawn(16, 16, 1, () => [188]),
        16,
      )[0]!.l,
      0,
    )
  })

  it('shows a small red thing that vanishes', () => {
    const white = drawn(64, 64, 3, () => [250, 250, 250])
    const dotted = drawn(64, 64, 3, (x, y) =>
      x >= 33 && x < 43 && y >= 20 && y < 30 ? [220, 20, 20] : [250, 250, 250],
    )
    const shifts = colourShifts(tileColours(dotted, 16), tileColours(white, 16))
    expect(Math.max(...shifts)).toBeGreaterThan(15)
    expect(shifts.filter((shift) => shift > 1)).toHaveLength(1)
  })

  it('sees what alpha shows on white only', () => {
    const black = drawn(16, 16, 4, () => [0, 0, 0, 255])
    const clear = drawn(16, 16, 4, () => [0, 0, 0, 0])
    expect(largestShift(black, clear, 0)).toBe(0)
    expect(largestShift(black, clear, 255)).toBeGreaterThan(90)
  })

  it('counts what the last tile takes beyond 16 px', () => {
    const image = drawn(40, 5, 3, () => [10, 200, 90])
    expect(tileBox(image, gridOf(image, 16), 1)).toEqual({ left: 16, top: 0, width: 24, height: 5 })
    expect(
      largestShift(
        image,
        drawn(40, 5, 3, () => [10, 200, 90]),
      ),
    ).toBe(0)
    const [plain] = tileColours(
      drawn(16, 16, 3, () => [10, 200, 90]),
      16,
    )
    expect(tileColours(image, 16)[1]!.l).toBeCloseTo(plain!.l, 9)
  })
})
