import { describe, expect, it } from 'vitest'
import type { Raster } from '../core/image.ts'
import { fromPixels, toPixels } from '../raster/raw.ts'
import { decodeWebp, inTiff } from './decode-webp.ts'

const drawn = (channels: 3 | 4, width: number, height: number): Raster => {
  const data = Uint8Array.from({ length: width * height * channels }, (_, i) => (i * i * 31 + (i >> 4) * 7) & 255)
  return { width, height, channels, data }
}

describe('decoding of WebP by way of a TIFF', () => {
  it.each([
    ['one pixel', 1, 1],
    ['odd sides', 37, 19],
    ['a tall image', 3, 700],
    ['a wide image', 900, 40],
  ])('shows the pixels that a WebP shows: %s', async (_, width, height) => {
    const file = await fromPixels(drawn(3, width, height))
      .webp({ quality: 40 })
      .toBuffer()
    expect(inTiff(file)?.toString('latin1', 0, 2)).toBe('II')
    expect(await decodeWebp(file)).toEqual(await toPixels(file))
  })

  it.each([
    ['with transparency', 4, { quality: 40 }],
    ['without loss', 3, { lossless: true }],
  ] as const)('leaves a file %s as it is', async (_, channels, options) => {
    const file = await fromPixels(drawn(channels, 40, 30))
      .webp(options)
      .toBuffer()
    expect(inTiff(file)).toBeUndefined()
    expect(await decodeWebp(file)).toEqual(await toPixels(file))
  })

  it.each([
    ['17.4 megapixels in a TIFF', 4170, true],
    ['17.6 megapixels as a WebP', 4195, false],
  ])(
    'decodes %s',
    async (_, side, isTiff) => {
      const grey = { width: side, height: side, channels: 3 as const, data: new Uint8Array(side * side * 3).fill(128) }
      const file = await fromPixels(grey).webp({ quality: 40, effort: 0 }).toBuffer()
      expect(inTiff(file) !== undefined).toBe(isTiff)
      expect(await decodeWebp(file)).toMatchObject({ width: side, height: side })
    },
    60_000,
  )

  it('rejects a damaged file', async () => {
    const file = await fromPixels(drawn(3, 64, 64))
      .webp({ quality: 40 })
      .toBuffer()
    await expect(decodeWebp(file.subarray(0, 60))).rejects.toThrow()
  })
})
