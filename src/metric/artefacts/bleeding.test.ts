import { describe, expect, it } from 'vitest'
import type { AnyRaster } from '../../core/image.ts'
import { BLEEDING_SIDE, bleedingFigure, bleedingIn } from './bleeding.ts'
import { loadArtefacts } from './kernel.ts'
import { gridOf, tilesIn } from './tiles.ts'

type Pixel = readonly number[]

const drawn = (width: number, height: number, pixelAt: (x: number, y: number) => Pixel): AnyRaster => {
  const channels = pixelAt(0, 0).length as AnyRaster['channels']
  const data = new Uint8Array(width * height * channels)
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) data.set(pixelAt(x, y), (y * width + x) * channels)
  return { data, width, height, channels }
}

const GREY: Pixel = [190, 190, 190]
const YELLOW: Pixel = [240, 230, 40]
/** A bar of 8 px on grey; `beside` is what the four px to its right show. */
const barred = (beside: Pixel, height = 96) =>
  drawn(64, height, (x) => (x < 8 ? YELLOW : x < 12 ? beside : beside.length === 3 ? GREY : [...GREY, 255]))
const clean = barred(GREY)
const kernel = loadArtefacts()()
const bleeding = (reference: AnyRaster, candidate: AnyRaster, density: 1 | 2 = 1) => {
  kernel.configure(reference, density)
  kernel.feed('reference', reference, -1)
  kernel.feed('candidate', candidate, -1)
  const found = bleedingIn(kernel, [0, tilesIn(gridOf(reference, BLEEDING_SIDE * density))])
  return { figure: bleedingFigure([found]), tile: found.tile }
}

describe('colour that bled into flat tiles', () => {
  it('is none between the same images, and grey in other channels', () => {
    expect(bleeding(clean, clean).figure).toBe(0)
    const grey = drawn(64, 96, () => [190])
    expect(
      bleeding(
        grey,
        drawn(64, 96, () => GREY),
      ).figure,
    ).toBe(0)
    expect(
      bleeding(
        drawn(64, 96, () => GREY),
        grey,
      ).figure,
    ).toBe(0)
  })

  it('grows with the chroma of the halo, and returns its box', () => {
    const faint = bleeding(clean, barred([192, 191, 180]))
    const strong = bleeding(clean, barred([200, 195, 150]))
    expect(faint.figure).toBeGreaterThan(0.5)
    expect(faint.figure).toBeLessThan(2.5)
    expect(strong.figure).toBeGreaterThan(5)
    expect(strong.tile % 16).toBe(2)
  })

  it('is no matter of light', () => {
    expect(bleeding(clean, barred([120, 120, 120])).figure).toBeLessThan(0.1)
  })

  it('does not count in a dozen tiles', () => {
    const seen = barred([200, 195, 150], 52)
    expect(bleeding(barred(GREY, 52), seen).figure).toBeGreaterThan(5)
    expect(bleeding(barred(GREY, 48), { ...barred([200, 195, 150], 48) }).figure).toBe(0)
  })

  it('is not looked for in texture', () => {
    const board = (tint: number) => drawn(64, 96, (x, y) => ((x + y) % 2 === 0 ? [90, 90, 90] : [120, 120, 120 - tint]))
    expect(bleeding(board(0), board(60)).figure).toBe(0)
  })

  it('is looked for at the size that is seen', () => {
    // One px of 4 in colour: in tiles of 8 px an eighth.
    const line = drawn(64, 192, (x) => (x === 40 ? [240, 230, 40] : GREY))
    const plain = drawn(64, 192, () => GREY)
    expect(bleeding(plain, line, 1).figure).toBeCloseTo(2 * bleeding(plain, line, 2).figure, 0)
  })

  it('counts in proportion to opacity', () => {
    const clear = (alpha: number) => drawn(64, 96, () => [140, 120, 120, alpha])
    const other = (alpha: number) => drawn(64, 96, () => [120, 120, 140, alpha])
    expect(bleeding(clear(0), other(0)).figure).toBe(0)
    expect(bleeding(clear(64), other(64)).figure).toBeCloseTo(bleeding(clear(255), other(255)).figure / 4, 1)
  })

  it('needs a tile', () => {
    expect(
      bleeding(
        drawn(3, 3, () => GREY),
        drawn(3, 3, () => YELLOW),
      ).figure,
    ).toBe(0)
  })
})
