import { describe, expect, it } from 'vitest'
import { stripsOf } from './pieces.ts'

describe('strips of an image', () => {
  it('are one piece where the image is small', () => {
    expect(stripsOf({ width: 640, height: 479 }, 1, 4e6)).toEqual([
      { held: { left: 0, top: 0, width: 640, height: 479 }, from: 0, to: 479 },
    ])
  })

  it.each([
    1, 2, 3,
  ] as const)('count every row once at density %d, and hold a row of tiles more on both sides', (density) => {
    const size = { width: 500, height: 1111 }
    const strips = stripsOf(size, density, 100_000)
    expect(strips.length).toBeGreaterThan(3)
    let row = 0
    for (const { held, from, to } of strips) {
      expect(held.top + from).toBe(row)
      expect(held.top % (32 * density)).toBe(0)
      if (row > 0) expect(from).toBe(32 * density)
      expect(held.top + held.height).toBe(Math.min(size.height, held.top + held.height))
      row = held.top + to
    }
    expect(row).toBe(size.height)
  })
})
