import { describe, expect, it } from 'vitest'
import type { Raster } from '../../core/image.ts'
import { openInterFrameTolerance } from './inter-frame-tolerance.ts'
import type { PlainFrame } from './write-gif.ts'

const frame = (...colours: (number | 'clear')[]): Raster => ({
  width: colours.length,
  height: 1,
  channels: 4,
  data: Uint8Array.from(
    colours.flatMap((colour) =>
      colour === 'clear' ? [0, 0, 0, 0] : [colour >> 16, (colour >> 8) & 255, colour & 255, 255],
    ),
  ),
})

/** Colours that a frame draws; undefined where it leaves what is there. */
const drawn = ({ indices, palette, transparent }: PlainFrame): (number | undefined)[] =>
  [...indices].map((index) => (index === transparent ? undefined : palette[index]))

describe('inter-frame tolerance', () => {
  it('draw what changed by more than the tolerance, and nothing else', () => {
    const steadying = openInterFrameTolerance(3, 10)
    expect(drawn(steadying.next(frame(0x808080, 0x808080, 0xff0000), 50)!)).toEqual([0x808080, 0x808080, 0xff0000])
    expect(drawn(steadying.next(frame(0x858585, 0x909090, 0xff0000), 50)!)).toEqual([undefined, 0x909090, undefined])
    expect(steadying.kept()).toBe(1)
  })

  it('compare with what is shown, so that small steps do not add up', () => {
    const steadying = openInterFrameTolerance(1, 10)
    const shown: number[] = []
    for (let grey = 100; grey <= 200; grey += 4) {
      const [colour] = drawn(steadying.next(frame(grey * 0x010101), 50)!)
      shown.push(colour === undefined ? shown.at(-1)! : colour & 255)
      expect(Math.abs(shown.at(-1)! - grey)).toBeLessThanOrEqual(10)
    }
    expect(new Set(shown).size).toBeLessThan(12)
  })

  it('leave all changes at tolerance 0', () => {
    const steadying = openInterFrameTolerance(1, 0)
    steadying.next(frame(0x000000), 50)
    expect(drawn(steadying.next(frame(0x000001), 50)!)).toEqual([0x000001])
    expect(steadying.kept()).toBe(0)
  })

  it('give up where something becomes transparent again, not where it always was', () => {
    const steadying = openInterFrameTolerance(2, 10)
    expect(drawn(steadying.next(frame('clear', 0x112233), 50)!)).toEqual([undefined, 0x112233])
    expect(steadying.next(frame('clear', 0x112233), 50)).toBeDefined()
    expect(steadying.next(frame('clear', 'clear'), 50)).toBeUndefined()
  })

  it('use the nearest colour where there are more than a palette holds', () => {
    const colours = Array.from({ length: 300 }, (_, i) => (i < 150 ? i : 0xffff00 + i - 150))
    const plain = openInterFrameTolerance(300, 0).next(frame(...colours), 50)!
    expect(plain.palette.length).toBe(255)
    for (const [i, colour] of drawn(plain).entries()) {
      expect(Math.abs((colour! & 255) - (colours[i]! & 255))).toBeLessThanOrEqual(45)
      expect(colour! >> 8).toBe(colours[i]! >> 8)
    }
  })
})
