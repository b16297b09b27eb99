import { expect, it } from 'vitest'
import type { Raster } from '../core/image.ts'
import { selectBusyBlocks } from './busy-blocks.ts'

/** A white page of 640 x 640 px with noise in its left fifth. */
const page = (): Raster => {
  const data = new Uint8Array(640 * 640 * 3).fill(255)
  for (let y = 0; y < 640; y += 1)
    for (let x = 0; x < 128; x += 1) data[(y * 640 + x) * 3] = (x * 7919 + y * 104_729) & 255
  return { width: 640, height: 640, channels: 3, data }
}

it('blocks of one colour are left out, and each pixel has its index', () => {
  const image = page()
  const blocks = selectBusyBlocks(image, 1e6)!
  expect(blocks.busy).toBeCloseTo(0.2)
  expect(blocks.pixels.width * blocks.pixels.height).toBeGreaterThan(640 * 128 * 0.75)
  expect(blocks.indices.every((place) => place % 640 < 128)).toBe(true)
  expect(blocks.indices.every((place, at) => blocks.pixels.data[at * 3] === image.data[place * 3])).toBe(true)
  expect(new Set(blocks.indices).size).toBe(blocks.indices.length)
})

it('busy blocks have at most the given number of pixels', () => {
  const { pixels, busy } = selectBusyBlocks(page(), 40_000)!
  expect(pixels.width * pixels.height).toBeLessThanOrEqual(40_000)
  expect(busy).toBeCloseTo(0.2)
})

it('an image with too few busy blocks has no selection', () => {
  const white: Raster = { width: 640, height: 640, channels: 3, data: new Uint8Array(640 * 640 * 3).fill(255) }
  expect(selectBusyBlocks(white, 1e6)).toBeUndefined()
  expect(selectBusyBlocks({ ...white, width: 640 * 640, height: 1 }, 1e6)).toBeUndefined()
})
