import { describe, expect, it } from 'vitest'
import type { AnyRaster } from '../core/image.ts'
import { assertWhole, hasTransparency, reachEightPixels } from './raster.ts'

const raster = (width: number, height: number, channels: 1 | 2 | 3 | 4, data: number[]): AnyRaster => ({
  width,
  height,
  channels,
  data: Uint8Array.from(data),
})

describe('a raster', () => {
  it.each([
    { channels: 1, data: [0], transparent: false },
    { channels: 2, data: [0, 255], transparent: false },
    { channels: 2, data: [255, 254], transparent: true },
    { channels: 3, data: [0, 0, 0], transparent: false },
    { channels: 4, data: [0, 0, 0, 255], transparent: false },
    { channels: 4, data: [255, 255, 255, 0], transparent: true },
  ] as const)('is transparent with $channels channels $data: $transparent', ({ channels, data, transparent }) => {
    expect(hasTransparency(raster(1, 1, channels, [...data]))).toBe(transparent)
  })

  it('repeats its last column and row up to 8 px', () => {
    const grown = reachEightPixels(raster(2, 1, 3, [1, 2, 3, 4, 5, 6]))
    expect([grown.width, grown.height]).toEqual([8, 8])
    expect([...grown.data.subarray(7 * 24, 7 * 24 + 9)]).toEqual([1, 2, 3, 4, 5, 6, 4, 5, 6])
  })

  it('stays itself from 8 px on', () => {
    const image = raster(8, 9, 1, new Array(72).fill(0))
    expect(reachEightPixels(image)).toBe(image)
  })

  it('is refused without pixels, or with the wrong number of samples', () => {
    expect(() => assertWhole(raster(0, 0, 3, []))).toThrow(RangeError)
    expect(() => assertWhole(raster(2, 2, 3, [1, 2, 3]))).toThrow(
      '3 samples are not an image of 2 x 2 px with 3 channels',
    )
  })
})
