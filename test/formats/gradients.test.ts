import { describe, expect, it } from 'vitest'
import type { Raster } from '../../src/core/image.ts'
import { hasBands } from '../../src/formats/palette/bands.ts'
import { divide, dividedPart, seedRareColours, settlePalette } from '../../src/formats/palette/cluster.ts'
import { diffuse } from '../../src/formats/palette/diffuse.ts'
import { countColours } from '../../src/formats/palette/histogram.ts'
import { losesColours } from '../../src/formats/palette/lost-colours.ts'
import { openPalettes, SIZES } from '../../src/formats/palette/palettes.ts'
import { remap, show } from '../../src/formats/palette/remap.ts'
import { findSmoothAreas } from '../../src/formats/palette/smooth-areas.ts'

const SIDE = 128

/** RGB pixels of 128 x 128 px. */
const drawn = (colourAt: (x: number, y: number) => readonly [number, number, number]): Raster => {
  const data = new Uint8Array(SIDE * SIDE * 3)
  for (let at = 0; at < SIDE * SIDE; at += 1) data.set(colourAt(at % SIDE, Math.floor(at / SIDE)), at * 3)
  return { width: SIDE, height: SIDE, channels: 3, data }
}

/** White on the left, a ramp of greys on the right. */
const ramp = drawn((x) => (x < 64 ? [255, 255, 255] : [x + 64, x + 64, x + 64]))

/** Hard edges: stripes of black and white. */
const stripes = drawn((x) => (x % 8 < 4 ? [0, 0, 0] : [255, 255, 255]))

const at = ({ data, channels }: Raster, x: number, y: number): number[] => [
  ...data.subarray((y * SIDE + x) * channels, (y * SIDE + x) * channels + 3),
]

describe('smooth areas', () => {
  it('are gradients, not flats and not edges', () => {
    const smooth = findSmoothAreas(ramp)
    expect([smooth[64 * SIDE + 20], smooth[64 * SIDE + 100]]).toEqual([0, 1])
    expect(smooth[64 * SIDE + 64]).toBe(0)
    expect(findSmoothAreas(stripes).every((one) => one === 0)).toBe(true)
  })

  it('reach into gradients that change only every few pixels', () => {
    const slow = findSmoothAreas(drawn((x) => [100 + (x >> 3), 90, 80]))
    expect(slow.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(SIDE * SIDE * 0.9)
  })

  it('are found in an image smaller than the window', () => {
    const tiny: Raster = { width: 2, height: 1, channels: 3, data: Uint8Array.of(1, 1, 1, 2, 2, 2) }
    expect(findSmoothAreas(tiny)).toHaveLength(2)
  })
})

describe('diffused errors', () => {
  const histogram = countColours(ramp)
  const palette = settlePalette(histogram, divide(histogram, 5)(5), 6)
  const columnMean = (pixels: Raster, x: number): number =>
    Array.from({ length: SIDE }, (_, y) => at(pixels, x, y)[0]!).reduce((sum, level) => sum + level, 0) / SIDE

  it('keep the mean tone along a gradient where the nearest colours make bands', () => {
    const banded = show(remap(ramp, histogram, palette), 3)
    const dithered = show(diffuse(ramp, histogram, palette, { smooth: findSmoothAreas(ramp) }), 3)
    const columns = Array.from({ length: 40 }, (_, x) => x + 76)
    const errorOf = (pixels: Raster): number =>
      columns.reduce((sum, x) => sum + Math.abs(columnMean(pixels, x) - (x + 64)), 0) / columns.length
    expect(errorOf(banded)).toBeGreaterThan(3)
    expect(errorOf(dithered)).toBeLessThan(errorOf(banded) / 2)
  })

  it('are no bar to tolerance elsewhere', () => {
    const noisy = drawn((x, y) =>
      x < 64 ? [(((x >> 1) + (y >> 1)) % 2) * 100 + ((x * 5 + y * 7) % 3) * 4, 0, 0] : [x + 64, x + 64, x + 64],
    )
    const counted = countColours(noisy)
    const exact = settlePalette(counted, divide(counted, 60)(60), 6)
    const smooth = findSmoothAreas(noisy)
    const strict = diffuse(noisy, counted, exact, { smooth }).indices
    const tolerant = diffuse(noisy, counted, exact, { smooth, tolerance: 10 }).indices
    const changed = [...tolerant].flatMap((index, place) => (index === strict[place] ? [] : [smooth[place]!]))
    expect(changed.length).toBeGreaterThan(500)
    expect(changed.every((one) => one === 0)).toBe(true)
  })

  it('do not crawl into flat areas', () => {
    const dithered = diffuse(ramp, histogram, palette, { smooth: findSmoothAreas(ramp) })
    const flat = new Set(Array.from({ length: SIDE * 60 }, (_, i) => dithered.indices[(i % SIDE) * SIDE + (i % 60)]))
    expect(flat.size).toBe(1)
  })
})

describe('rare colours', () => {
  /** Noise of many greys, and 30 px of red. */
  const logo = drawn((x, y) => {
    if (x < 6 && y < 5) return [230, 20, 30]
    const level = (x * 7919 + y * 104_729) & 255
    return [level, level, level]
  })
  const histogram = countColours(logo)
  const red = (size: number): number[] => {
    const palette = openPalettes(histogram).at((SIZES as readonly number[]).indexOf(size))
    return at(show(remap(logo, histogram, palette), 3), 2, 2)
  }

  it('keep an entry of their own in a palette of 8 colours, from 30 px on', () => {
    expect(red(8)).toEqual([230, 20, 30])
  })

  it('are lost where nothing is seeded', () => {
    const palette = settlePalette(histogram, divide(histogram, 8)(8), 6)
    expect(at(show(remap(logo, histogram, palette), 3), 2, 2)).not.toEqual([230, 20, 30])
  })

  it('are not looked for where every colour is served', () => {
    const few = countColours(stripes)
    const groups = divide(few, dividedPart(8))(dividedPart(8))
    expect(seedRareColours(few, groups, 8)).toBeUndefined()
  })
})

describe('colours of thin lines', () => {
  /** White, a few grey bars, and a line of one px. */
  const chart = (line: readonly [number, number, number]): Raster =>
    drawn((x, y) => (y === 40 + (x >> 1) ? line : y < 20 && x % 16 < 8 ? [130, 130, 130] : [255, 255, 255]))
  const shownIn = (pixels: Raster, size: number): boolean => {
    const histogram = countColours(pixels)
    const palette = settlePalette(histogram, divide(histogram, size)(size), 6)
    return !losesColours(remap(pixels, histogram, palette), histogram, 12)
  }

  it('are lost where the line shares a grey, and kept where it has its own', () => {
    expect(shownIn(chart([44, 160, 44]), 2)).toBe(false)
    expect(shownIn(chart([44, 160, 44]), 3)).toBe(true)
  })

  it('are none of a grey line', () => {
    expect(shownIn(chart([110, 110, 110]), 2)).toBe(true)
  })

  it('are not asked of fringes that cancel out', () => {
    const fringed = drawn((x) => (x % 2 === 0 ? [200, 120, 120] : [120, 160, 180]))
    const greyed = settlePalette(countColours(fringed), Uint16Array.of(0, 0), 1)
    expect(losesColours(remap(fringed, countColours(fringed), greyed), countColours(fringed), 12)).toBe(false)
  })
})

describe('bands', () => {
  const histogram = countColours(ramp)
  const smooth = findSmoothAreas(ramp)
  const mapped = (size: number) => remap(ramp, histogram, settlePalette(histogram, divide(histogram, size)(size), 6))

  it('are seen where a ramp of 64 greys has eight, and not where it has all', () => {
    expect(hasBands(mapped(8), histogram, smooth, 4)).toBe(true)
    expect(hasBands(mapped(80), histogram, smooth, 4)).toBe(false)
  })

  it('are no edges: what steps in the image may step in the palette', () => {
    const few = countColours(stripes)
    const palette = settlePalette(few, divide(few, 2)(2), 1)
    expect(hasBands(remap(stripes, few, palette), few, findSmoothAreas(stripes), 4)).toBe(false)
  })
})

it('a pixel in a gradient never takes its neighbour’s colour', () => {
  const histogram = countColours(ramp)
  const palette = settlePalette(histogram, divide(histogram, 48)(48), 6)
  const smooth = findSmoothAreas(ramp)
  const exact = remap(ramp, histogram, palette)
  const tolerant = remap(ramp, histogram, palette, { tolerance: 10, smooth })
  const careless = remap(ramp, histogram, palette, { tolerance: 10 })
  const changed = (indices: Uint8Array): number =>
    indices.filter((index, place) => smooth[place] === 1 && index !== exact.indices[place]).length
  expect(changed(tolerant.indices)).toBe(0)
  expect(changed(careless.indices)).toBeGreaterThan(0)
})
