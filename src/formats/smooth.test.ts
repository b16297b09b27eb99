import { expect, it } from 'vitest'
import type { Raster } from '../core/image.ts'
import { detailOf, isSmooth } from './smooth.ts'

const drawn = (valueAt: (x: number, y: number) => number): Raster => {
  const data = new Uint8Array(128 * 128 * 3)
  for (let i = 0; i < data.length; i += 3) data.fill(valueAt((i / 3) % 128, Math.floor(i / 384)), i, i + 3)
  return { width: 128, height: 128, channels: 3, data }
}

it('calls a ramp smooth, and a texture of strong contrast not', async () => {
  expect(isSmooth(await detailOf(drawn((x, y) => x + y)))).toBe(true)
  expect(isSmooth(await detailOf(drawn((x, y) => (x * 7919 + y * 104729) % 251)))).toBe(false)
})
