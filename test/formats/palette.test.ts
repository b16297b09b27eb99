import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import type { Raster } from '../../src/core/image.ts'
import { divide, settlePalette } from '../../src/formats/palette/cluster.ts'
import { countColours } from '../../src/formats/palette/histogram.ts'
import { remap, show } from '../../src/formats/palette/remap.ts'
import { writeIndexedPng } from '../../src/formats/palette/write-png.ts'
import { openSsimulacra2 } from '../../src/metric/ssimulacra2/ssimulacra2.ts'
import { toPixels } from '../../src/raster/raw.ts'
import { PHOTO, softLogo } from '../engine/samples.ts'

const read = async (source: Parameters<typeof sharp>[0]): Promise<Raster> => {
  const { data, info } = await sharp(source).raw().toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, channels: info.channels as 3 | 4, data }
}

const indexed = (pixels: Raster, colours: number, tolerance = 0) => {
  const histogram = countColours(pixels)
  const groups = divide(histogram, colours)(colours)
  return remap(pixels, histogram, settlePalette(histogram, groups, 3), { tolerance })
}

/** An image of `count` colours, some of them transparent. */
const striped = (count: number): Raster => {
  const data = new Uint8Array(64 * 64 * 4)
  for (let at = 0; at < 64 * 64; at += 1) {
    const colour = (at * 31) % count
    data.set([colour, 255 - colour, (colour * 37) & 255, colour % 5 === 0 ? 128 : 255], at * 4)
  }
  return { width: 64, height: 64, channels: 4, data }
}

describe('a palette', () => {
  it.each([2, 4, 16, 200, 256])('loses nothing with as many colours as the image has (%d)', async (count) => {
    const pixels = striped(count)
    const png = writeIndexedPng(indexed(pixels, 256), 9)
    expect(await toPixels(png)).toMatchObject({ width: 64, height: 64, channels: 4 })
    expect(Buffer.compare((await toPixels(png)).data, pixels.data)).toBe(0)
  })

  it.each([
    [2, 1],
    [4, 2],
    [16, 4],
    [17, 8],
  ])('takes, for %d colours, %d bits a pixel', (count, depth) => {
    expect(writeIndexedPng(indexed(striped(count), 256), 9)[24]).toBe(depth)
  })

  it.each([2, 16, 256])('decodes alike with rows as differences, for %d colours', async (count) => {
    const image = indexed(striped(count), 256)
    const [plain, differences] = await Promise.all(
      (['none', 'up'] as const).map((filter) => toPixels(writeIndexedPng(image, 9, filter))),
    )
    expect(Buffer.compare(differences!.data, plain!.data)).toBe(0)
  })

  it.each([PHOTO, 'logo'])('decodes to what was judged, and larger ones are nearer: %s', async (source) => {
    const pixels = await read(source === 'logo' ? await softLogo() : source)
    using prepared = (await openSsimulacra2()).prepare(pixels)
    const scores = []
    for (const colours of [8, 32, 128]) {
      const image = indexed(pixels, colours)
      const shown = show(image, pixels.channels)
      expect(Buffer.compare((await toPixels(writeIndexedPng(image, 6))).data, shown.data)).toBe(0)
      scores.push(prepared.compare(shown))
    }
    expect(scores).toEqual(scores.toSorted((a, b) => a - b))
  })

  it('weighs less with tolerance', async () => {
    const pixels = await read(PHOTO)
    const sizes = [0, 6, 15].map((tolerance) => writeIndexedPng(indexed(pixels, 64, tolerance), 9).length)
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a))
    expect(sizes[2]).toBeLessThan(sizes[0]! * 0.8)
  })

  it('shows transparency where an opaque colour joins the rows', async () => {
    const data = new Uint8Array(64 * 64 * 4).fill(255)
    for (let row = 8; row < 40; row += 1)
      for (let x = 8; x < 40; x += 1) data.set([x, 0, 0, x % 3 === 0 ? 0 : 90], (row * 64 + x) * 4)
    const pixels: Raster = { width: 64, height: 64, channels: 4, data }
    const image = indexed(pixels, 64)
    expect(Buffer.compare((await toPixels(writeIndexedPng(image, 9))).data, show(image, 4).data)).toBe(0)
  })

  it('takes what came again where that is tolerated, and nothing farther off', () => {
    // Rows of a pattern; in every second row each colour is off by a little.
    const pattern = (place: number): number => 40 + ((place * place) % 13) * 12
    const data = new Uint8Array(65 * 65)
    for (let at = 0; at < data.length; at += 1) data[at] = pattern(at % 64) + (at >= 2000 ? 3 : 0)
    const pixels: Raster = {
      width: 65,
      height: 65,
      channels: 3,
      data: Uint8Array.from({ length: data.length * 3 }, (_, i) => data[Math.floor(i / 3)]!),
    }
    const repeated = indexed(pixels, 64, 6)
    const off = (image: ReturnType<typeof indexed>, limit: number): number =>
      image.indices.filter((index, at) => Math.abs(image.table[index * 4]! - data[at]!) > limit).length
    expect(off(repeated, 0)).toBeGreaterThan(1500)
    expect(off(repeated, 5)).toBe(0)
  })

  it('counts what cannot be seen as one colour', () => {
    const data = Uint8Array.from([1, 2, 3, 0, 9, 9, 9, 0, 5, 5, 5, 255, 0, 0, 0, 0])
    const { counts, colours } = countColours({ width: 4, height: 1, channels: 4, data })
    expect([...counts]).toEqual([3, 1])
    expect([...colours.subarray(0, 4)]).toEqual([0, 0, 0, 0])
  })

  it('is found for more colours than are counted apart', () => {
    const data = new Uint8Array(400 * 400 * 3)
    for (let at = 0; at < 400 * 400; at += 1) data.set([at & 255, (at >> 8) & 255, (at * 7) & 255], at * 3)
    const pixels: Raster = { width: 400, height: 400, channels: 3, data }
    const histogram = countColours(pixels)
    expect(histogram.counts.length).toBeLessThanOrEqual(65536)
    expect(histogram.counts.reduce((sum, count) => sum + count, 0)).toBe(160_000)
    expect(indexed(pixels, 64).table.length).toBeLessThanOrEqual(64 * 4)
  })
})
