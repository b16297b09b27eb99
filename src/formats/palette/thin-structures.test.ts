import { describe, expect, it } from 'vitest'
import type { Raster } from '../../core/image.ts'
import { countColours, type Histogram } from './histogram.ts'
import type { Indexed } from './remap.ts'
import { breaksThinStructures, findThinStructures } from './thin-structures.ts'

type Colour = readonly [red: number, green: number, blue: number]

const WHITE: Colour = [255, 255, 255]
const BLACK: Colour = [0, 0, 0]
const GREY: Colour = [128, 128, 128]
const BROWN: Colour = [178, 122, 92]
const RED: Colour = [214, 92, 84]

const SIDE = 48

const draw = (colourAt: (x: number, y: number) => Colour): Raster => ({
  width: SIDE,
  height: SIDE,
  channels: 3,
  data: Uint8Array.from(
    Array.from({ length: SIDE * SIDE }, (_, at) => colourAt(at % SIDE, Math.floor(at / SIDE))).flat(),
  ),
})

/** The image in a palette in which one colour is replaced by another. */
const replaced = (histogram: Histogram, from: Colour, to: Colour): Indexed => {
  const table = Uint8Array.from(histogram.colours)
  for (let at = 0; at < table.length; at += 4) if (from.every((value, c) => table[at + c] === value)) table.set(to, at)
  return { width: SIDE, height: SIDE, table, indices: Uint8Array.from(histogram.entries) }
}

const breaks = (pixels: Raster, from: Colour, to: Colour): boolean => {
  const histogram = countColours(pixels)
  return breaksThinStructures(
    replaced(histogram, from, to),
    { histogram, thin: findThinStructures(pixels, histogram) },
    40,
  )
}

const line = draw((x, y) => (Math.abs(y - Math.floor(x / 3) - 10) < 1 ? BROWN : WHITE))
const rim = draw((x, y) => (x + y < 45 ? BLACK : x + y === 45 ? GREY : WHITE))

describe('thin structures of a drawing', () => {
  it('finds the pixels of a slanted line of one pixel and none of a flat area', () => {
    const found = findThinStructures(line, countColours(line))
    expect(found.positions.length).toBeGreaterThan(SIDE / 2)
    for (const at of found.positions) expect(line.data[at * 3]).toBe(BROWN[0])
  })

  it('finds none in noise, whose pixels have no flat sides', () => {
    const noise = draw((x, y) => {
      const value = Math.imul(x * 71 + y * 977 + 13, 0x9e3779b1) >>> 24
      return [value, value, value]
    })
    expect(findThinStructures(noise, countColours(noise)).positions.length).toBeLessThan(20)
  })

  it('accepts the same colours', () =>
    expect([breaks(line, BROWN, BROWN), breaks(rim, GREY, GREY)]).toEqual([false, false]))

  it('refuses a brown line that takes the red of another', () => expect(breaks(line, BROWN, RED)).toBe(true))

  it('refuses a line that takes the colour of its ground', () => expect(breaks(line, BROWN, WHITE)).toBe(true))

  it('refuses a rim that snaps to one of its sides', () =>
    expect([breaks(rim, GREY, BLACK), breaks(rim, GREY, WHITE)]).toEqual([true, true]))

  it('accepts a rim whose mix is a little darker', () => expect(breaks(rim, GREY, [112, 112, 112])).toBe(false))

  it('refuses a soft shadow whose outer step takes the colour of the next one', () => {
    const levels = [40, 40, 120, 184, 220]
    const shadow = draw((_, y) => {
      const level = levels[Math.max(0, y - 20)] ?? 238
      return [level, level, level]
    })
    expect(breaks(shadow, [220, 220, 220], [200, 200, 200])).toBe(true)
    expect(breaks(shadow, [220, 220, 220], [216, 216, 216])).toBe(false)
  })

  it('accepts a few changed pixels', () => {
    const dash = draw((x, y) => (y === 20 && x > 18 && x < 25 ? BROWN : WHITE))
    expect(breaks(dash, BROWN, RED)).toBe(false)
  })
})
