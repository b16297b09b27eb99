import { describe, expect, it } from 'vitest'
import { openFaintDetail } from '../../src/formats/faint-detail.ts'

const WIDTH = 64

/** Grey pixels of as many channels, by their place. */
const greys = (height: number, channels: number, greyAt: (x: number, y: number) => number): Uint8Array => {
  const data = new Uint8Array(WIDTH * height * channels).fill(255)
  for (let i = 0; i < WIDTH * height; i++)
    data.fill(greyAt(i % WIDTH, Math.floor(i / WIDTH)), i * channels, i * channels + 3)
  return data
}

/** Two levels, side by side in each block, with a chequered pattern of some amplitude. */
const edges = (amplitude: number) => (x: number, y: number) =>
  (x % 8 < 4 ? 80 : 160) + ((x + y) % 2 === 0 ? amplitude : -amplitude)

const without = (data: Uint8Array, channels: number, highest: number): Uint8Array => {
  const rows = data.length / (WIDTH * channels)
  using detail = openFaintDetail({ width: WIDTH, rows, channels }, highest)
  return detail.remove(data).slice()
}

/** The mean difference between neighbours in a row within one level. */
const contrast = (data: Uint8Array): number => {
  const differences = Array.from({ length: 32 * 16 }, (_, i) => {
    const at = ((8 + Math.floor(i / 16)) * WIDTH + 16 + (i % 16) * 2) * 3
    return Math.abs(data[at]! - data[at + 3]!)
  })
  return differences.reduce((sum, one) => sum + one, 0) / differences.length
}

describe('detail below an amplitude', () => {
  it('is weakened next to edges, which stay', () => {
    const source = greys(48, 3, edges(4))
    const shown = without(source, 3, 60)
    expect(contrast(shown)).toBeLessThan(0.6 * contrast(source))
    expect(shown[(20 * WIDTH + 21) * 3]! - shown[(20 * WIDTH + 18) * 3]!).toBeGreaterThan(60)
  })

  it('stays where it is stronger', () => {
    const source = greys(48, 3, edges(40))
    expect(contrast(without(source, 3, 60))).toBeGreaterThan(0.9 * contrast(source))
  })

  it('stays in flat blocks, where it hides contours', () => {
    const source = greys(48, 3, (x, y) => 100 + ((x + y) % 2) * 4)
    expect(without(source, 3, 60)).toEqual(source)
  })

  it('stays in transparent pixels', () => {
    const source = greys(48, 4, edges(4))
    for (let i = 3; i < source.length; i += 4) source[i] = 128
    expect(without(source, 4, 60)).toEqual(source)
  })
})
