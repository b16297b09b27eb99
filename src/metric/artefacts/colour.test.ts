import { describe, expect, it } from 'vitest'
import type { AnyRaster } from '../../core/image.ts'
import { openArtefacts } from './artefacts.ts'
import { ciede2000 } from './ciede2000.ts'
import { largestShift, tileColours } from './colour.ts'
import { labOf } from './lab.ts'
import { gridOf, tilesIn } from './tiles.ts'

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

const artefacts = await openArtefacts()
const shiftOf = (one: AnyRaster, other: AnyRaster, density: 1 | 2 | 3 = 1) => {
  using reference = artefacts.prepare(one, density)
  return reference.worst(other).colour
}
const plain = (...samples: number[]) => drawn(40, 20, samples.length as AnyRaster['channels'], () => samples)

describe('the mean colour of tiles', () => {
  it('is the colour of a plain tile, the same in grey and RGB, with alpha and without', () => {
    expect(shiftOf(plain(128), plain(128, 128, 128)).figure).toBeLessThan(1e-6)
    expect(shiftOf(plain(128, 128, 128, 255), plain(128, 128, 128)).figure).toBeLessThan(1e-6)
    // L* 53.585 against 0: CIEDE2000 of lightness alone.
    const [lightness, mean] = [53.585, 53.585 / 2]
    const weight = 1 + (0.015 * (mean - 50) ** 2) / Math.sqrt(20 + (mean - 50) ** 2)
    expect(shiftOf(plain(128), plain(0)).figure).toBeCloseTo(lightness / weight, 2)
  })

  it('is the same for a chessboard and for the grey of as much light', () => {
    const board = drawn(40, 20, 1, (x, y) => [(x + y) % 2 === 0 ? 0 : 255])
    expect(shiftOf(board, plain(188)).figure).toBeLessThan(0.5)
    expect(shiftOf(board, plain(128)).figure).toBeGreaterThan(15)
  })

  it('shows a small red thing that vanishes, and where it was', () => {
    const white = drawn(64, 64, 3, () => [250, 250, 250])
    const dotted = drawn(64, 64, 3, (x, y) =>
      x >= 33 && x < 43 && y >= 20 && y < 30 ? [220, 20, 20] : [250, 250, 250],
    )
    expect(shiftOf(dotted, white).figure).toBeGreaterThan(15)
    expect(shiftOf(dotted, white).at).toEqual({ left: 32, top: 16, width: 16, height: 16 })
    expect(shiftOf(dotted, white, 2).at).toEqual({ left: 32, top: 0, width: 32, height: 32 })
  })

  it('sees what alpha shows on white only', () => {
    expect(shiftOf(plain(0, 0, 0, 255), plain(0, 0, 0, 0)).figure).toBeGreaterThan(90)
    expect(shiftOf(plain(0, 0, 0, 255), plain(9, 9, 9, 255)).figure).toBeLessThan(3)
  })

  it('counts what the last tile takes beyond 16 px', () => {
    const green = drawn(40, 5, 3, () => [10, 200, 90])
    const ended = drawn(40, 5, 3, (x) => (x < 38 ? [10, 200, 90] : [200, 10, 90]))
    expect(shiftOf(green, green).figure).toBe(0)
    expect(shiftOf(green, ended).at).toEqual({ left: 16, top: 0, width: 24, height: 5 })
  })
})

describe('the largest shift of tiles', () => {
  const grid = gridOf({ width: 320, height: 320 }, 16)
  const labAt = (sums: Float64Array, tile: number) => {
    const [red, green, blue] = Array.from(sums.subarray(3 * tile, 3 * tile + 3), (sum) => sum / 256)
    return labOf(red!, green!, blue!)
  }
  /** Repeatable numbers from -1 to 1. */
  const chanceAt = (seed: number): number => (Math.sin(seed * 127.1 + 11.7) * 43758.5453) % 1

  it.each([
    0, 0.002, 0.05, 0.4, 2,
  ])('is that of every tile measured in full where light differs by up to %d times', (spread) => {
    // Among them are tiles that are black in one image or in both.
    const reference = Float64Array.from({ length: 3 * tilesIn(grid) }, (_, i) => 256 * Math.max(0, chanceAt(i)) ** 2)
    const candidate = reference.map((sum, i) => Math.max(0, Math.min(256, sum * (1 + spread * chanceAt(i + 5000)))))
    const shifts = Array.from({ length: tilesIn(grid) }, (_, tile) =>
      ciede2000(labAt(reference, tile), labAt(candidate, tile)),
    )
    const figure = Math.max(...shifts)
    const found = largestShift(tileColours(reference, grid), candidate, [0, tilesIn(grid)])
    expect(found).toEqual({ figure, tile: shifts.indexOf(figure) })
    expect(largestShift(tileColours(reference, grid), candidate, [20, 40]).figure).toBe(
      Math.max(...shifts.slice(20, 40)),
    )
  })
})
