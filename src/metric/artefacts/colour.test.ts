import { describe, expect, it } from 'vitest'
import type { AnyRaster } from '../../core/image.ts'
import { openArtefacts } from './artefacts.ts'
import { ciede2000 } from './ciede2000.ts'
import { largestShift } from './colour.ts'
import { loadArtefacts } from './kernel.ts'
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
  const size = { width: 320, height: 320 }
  const grid = gridOf(size, 16)
  const tiles = tilesIn(grid)
  /** An image whose tiles are flat. */
  const mosaic = (samples: Uint8ClampedArray): AnyRaster =>
    drawn(size.width, size.height, 3, (x, y) => {
      const tile = Math.floor(y / 16) * grid.across + Math.floor(x / 16)
      return [...samples.subarray(3 * tile, 3 * tile + 3)]
    })
  const labAt = (sums: Float64Array, tile: number) => {
    const [red, green, blue] = Array.from(sums.subarray(3 * tile, 3 * tile + 3), (sum) => sum / 256)
    return labOf(red!, green!, blue!)
  }
  /** Repeatable numbers from -1 to 1. */
  const chanceAt = (seed: number): number => (Math.sin(seed * 127.1 + 11.7) * 43758.5453) % 1
  const newKernel = loadArtefacts()

  it.each([
    0, 1, 3, 12, 60, 400,
  ])('is that of every tile measured in full, within the bounds of the kernel, where samples differ by up to %d', (spread) => {
    // Among them are vivid colours, and tiles that are black in one image or in both.
    const reference = Uint8ClampedArray.from({ length: 3 * tiles }, (_, i) => 300 * chanceAt(i) - 20)
    const candidate = Uint8ClampedArray.from(reference, (value, i) => value + spread * chanceAt(i + 5000))
    const kernel = newKernel()
    kernel.configure({ ...size, channels: 3, data: new Uint8Array() }, 1)
    kernel.feed('reference', mosaic(reference), -1)
    kernel.keepColours()
    const was = kernel.colours(tiles)
    kernel.feed('candidate', mosaic(candidate), -1)
    const [shown, most] = [kernel.colours(tiles), kernel.mostShifts(tiles)]

    const shifts = Array.from({ length: tiles }, (_, tile) => ciede2000(labAt(was, tile), labAt(shown, tile)))
    expect(shifts.filter((shift, tile) => shift > Math.sqrt(most[tile]!) + 1e-9)).toEqual([])
    const figure = Math.max(...shifts)
    expect(largestShift({ grid, was, shown }, most, [0, tiles])).toEqual({ figure, tile: shifts.indexOf(figure) })
    expect(largestShift({ grid, was, shown }, most, [20, 40]).figure).toBe(Math.max(...shifts.slice(20, 40)))
  })
})
