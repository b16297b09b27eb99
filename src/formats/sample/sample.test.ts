import { describe, expect, it } from 'vitest'
import { sampleOf } from './sample.ts'

/** An image whose tiles of 256 px are each of one grey. */
const patches = (width: number, height: number) => {
  const data = new Uint8Array(width * height * 3)
  for (let y = 0; y < height; y++)
    for (let left = 0; left < width; left += 256)
      data.fill((left >> 4) + (y >> 8), (y * width + left) * 3, (y * width + Math.min(width, left + 256)) * 3)
  return { data, width, height, channels: 3 as const }
}

describe('the sample of a large image', () => {
  it('is left out for images of 4 megapixels', () => {
    const data = new Uint8Array(2000 * 2000 * 3)
    expect(sampleOf({ data, width: 2000, height: 2000, channels: 3 })).toBeUndefined()
  })

  it('holds 32 whole tiles of a larger image, whatever its size', () => {
    const sample = sampleOf(patches(2600, 2000))!.pixels
    expect([sample.width, sample.height, sample.channels]).toEqual([2048, 1024, 3])
    for (const [x, y] of [
      [30, 40],
      [300, 700],
      [1900, 990],
    ] as const) {
      const [left, top] = [(x & ~255) + 128, (y & ~255) + 128]
      expect(sample.data[(y * 2048 + x) * 3]).toBe(sample.data[(top * 2048 + left) * 3])
    }
  })

  it('fades its tiles to grey at their seams, and leaves their interiors as they are', () => {
    const black = { data: new Uint8Array(2600 * 2000 * 3), width: 2600, height: 2000, channels: 3 } as const
    const { pixels, interiors } = sampleOf(black)!
    expect(pixels.data[0]).toBeGreaterThan(120)
    const steps = Array.from({ length: 255 }, (_, x) => {
      const at = (100 * 2048 + x) * 3
      return Math.abs(pixels.data[at + 3]! - pixels.data[at]!)
    })
    expect(Math.max(...steps)).toBeLessThanOrEqual(9)
    const { left, top } = interiors.at(-1)!
    expect(pixels.data[(top * 2048 + left) * 3]).toBe(0)
  })
})
