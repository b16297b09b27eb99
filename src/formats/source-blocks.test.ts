import { describe, expect, it } from 'vitest'
import type { Raster } from '../core/image.ts'
import { fromPixels, toPixels } from '../raster/raw.ts'
import { hasSourceBlocks } from './source-blocks.ts'

/** Soft waves with grain. */
const photograph = (): Raster => {
  const [width, height] = [200, 160]
  const data = new Uint8Array(width * height * 3)
  for (let i = 0; i < data.length; i += 1) {
    const [x, y] = [Math.floor(i / 3) % width, Math.floor(i / 3 / width)]
    data[i] = 110 + 60 * Math.sin(x / 19 + (i % 3)) * Math.cos(y / 23) + ((i * 7919) % 13)
  }
  return { data, width, height, channels: 3 }
}

/** Levels from 100 to 107, by the generator of C's standard. */
const noise = (): (() => number) => {
  let state = 1
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return 100 + (state >>> 29)
  }
}

const asJpeg = async (pixels: Raster, quality: number): Promise<Raster> =>
  toPixels(await fromPixels(pixels).jpeg({ quality }).toBuffer())

const shifted = ({ data, width, height, channels }: Raster, by: number): Raster => ({
  data: data.subarray(by * channels),
  width,
  height: height - 1,
  channels,
})

describe('the blocks of a source', () => {
  it('are found in a poor JPEG, and neither in a good one nor in its pixels', async () => {
    const pixels = photograph()
    expect(hasSourceBlocks(await asJpeg(pixels, 20))).toBe(true)
    expect(hasSourceBlocks(await asJpeg(pixels, 95))).toBe(false)
    expect(hasSourceBlocks(pixels)).toBe(false)
  })

  it('are not found where they have moved', async () => {
    const poor = await asJpeg(photograph(), 20)
    expect(hasSourceBlocks(shifted(poor, 3))).toBe(false)
  })

  it.each([
    ['an eighth of a level', 3],
    ['a quarter of a level', 2],
  ])('are not found in a ramp of %s per px', (_, shift) => {
    const [width, height] = [512, 64]
    const data = Uint8Array.from({ length: width * height * 3 }, (_, i) => (Math.floor(i / 3) % width) >> shift)
    expect(hasSourceBlocks({ data, width, height, channels: 3 })).toBe(false)
  })

  it('are not found in noise that is too small for two blocks, or in which one column decides', () => {
    const next = noise()
    for (let width = 1; width <= 17; width++)
      for (const height of [1, 2, 9, 12, 17]) {
        const data = Uint8Array.from({ length: width * height * 3 }, next)
        expect([width, height, hasSourceBlocks({ data, width, height, channels: 3 })]).toEqual([width, height, false])
      }
  })
})
