import { expect, it } from 'vitest'
import type { Raster } from '../core/image.ts'
import { withoutHiddenColours } from './hidden-colours.ts'

const drawn = (side: number, colourAt: (x: number, y: number) => readonly [number, number, number, number]): Raster => {
  const data = Uint8Array.from({ length: side * side }, () => 0)
  const samples = Array.from(data).flatMap((_, at) => colourAt(at % side, Math.floor(at / side)))
  return { width: side, height: side, channels: 4, data: Uint8Array.from(samples) }
}

it('gives clear pixels the mean of what is visible in their block by opacity, and black where nothing is', () => {
  const pixels = drawn(12, (x, y) => {
    if (x === 0 && y === 0) return [200, 100, 0, 255]
    if (x === 1 && y === 0) return [80, 100, 60, 51]
    return [x, y, 99, 0]
  })
  const { data } = withoutHiddenColours(pixels, true)
  const pixelAt = (x: number, y: number) => [...data.subarray((y * 12 + x) * 4, (y * 12 + x) * 4 + 4)]
  expect(pixelAt(0, 0)).toEqual([200, 100, 0, 255])
  expect(pixelAt(1, 0)).toEqual([80, 100, 60, 51])
  expect(pixelAt(7, 7)).toEqual([180, 100, 10, 0])
  expect(pixelAt(11, 11)).toEqual([0, 0, 0, 0])
})

it('returns an opaque image as it is, and a drawing whose hidden colours are plainer', () => {
  const opaque = { width: 2, height: 1, channels: 3, data: Uint8Array.of(1, 2, 3, 4, 5, 6) } as const
  expect(withoutHiddenColours(opaque, false)).toBe(opaque)
  const plain = drawn(16, (x) => [200, 100, 0, x < 4 ? 255 : 0])
  expect(withoutHiddenColours(plain, true)).toBe(plain)
  expect(withoutHiddenColours(plain, false)).not.toBe(plain)
})
