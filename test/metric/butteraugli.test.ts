import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { AnyRaster } from '../../src/core/image.ts'
import { openButteraugli } from '../../src/metric/butteraugli/butteraugli.ts'
import { distort } from '../golden/distort.ts'
import { readRaster } from '../golden/read-raster.ts'

const pair = (name: string) => fileURLToPath(new URL(`../golden/pairs/${name}`, import.meta.url))
const photograph = await readRaster(pair('056-original.png'))
const softLogo = await readRaster(pair('000-original.png'))
const butteraugli = await openButteraugli()
const streaming = await openButteraugli({ keep: 0 })

const compare = (one: AnyRaster, other: AnyRaster, by = butteraugli) => {
  using reference = by.prepare(one)
  return reference.compare(other)
}

/** Samples that look random and are the same every time. */
const texture = (width: number, height: number, channels: AnyRaster['channels'], seed: number): AnyRaster => {
  let state = seed
  const data = Uint8Array.from({ length: width * height * channels }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state >>> 24
  })
  return { data, width, height, channels }
}

const plain = (width: number, height: number, pixel: readonly number[]): AnyRaster => ({
  data: Uint8Array.from({ length: width * height * pixel.length }, (_, i) => pixel[i % pixel.length]!),
  width,
  height,
  channels: pixel.length as AnyRaster['channels'],
})

describe('Butteraugli', () => {
  it('is zero for identical images', () => {
    expect(compare(photograph, photograph)).toMatchObject({ norm3: 0, maximum: 0, worstTile: 0 })
    expect(compare(softLogo, softLogo)).toMatchObject({ norm3: 0, maximum: 0, worstTile: 0 })
  })

  it('is finite for every size from 1 to 40 px and every count of channels', () => {
    const channels = [1, 2, 3, 4] as const
    for (let width = 1; width <= 40; width++) {
      const height = 1 + ((width * 17) % 40)
      const one = texture(width, height, channels[width % 4]!, width)
      const { norm3, maximum, worstTile } = compare(one, texture(width, height, channels[width % 4]!, width + 99))
      expect(norm3).toBeGreaterThan(0)
      expect(maximum).toBeGreaterThanOrEqual(norm3)
      expect(worstTile).toBeGreaterThanOrEqual(norm3 * 0.999)
      expect(Number.isFinite(maximum)).toBe(true)
    }
  })

  it.each([
    ['one colour against another', plain(33, 21, [200, 10, 10]), plain(33, 21, [10, 10, 200])],
    ['black against white', plain(64, 64, [0]), plain(64, 64, [255])],
    ['transparent against opaque', plain(40, 40, [9, 9, 9, 0]), plain(40, 40, [9, 9, 9, 255])],
  ])('is finite and above zero: %s', (_, one, other) => {
    const { norm3, maximum } = compare(one, other)
    expect(norm3).toBeGreaterThan(0)
    expect(Number.isFinite(maximum)).toBe(true)
  })

  // Black and white exchanged: figures of the definition in single precision, where the detectors' whole numbers end.
  it.each([
    ['stripes of 2 px', (x: number) => x >> 1, 18.206, 33.513],
    ['stripes of 8 px', (x: number) => x >> 3, 89.369, 109.554],
    ['squares of 4 px', (x: number, y: number) => (x >> 2) ^ (y >> 2), 28.853, 48.99],
  ])('measures the largest distances within 5 %%: %s', (_, cell, norm, largest) => {
    const drawn = (black: number): AnyRaster => ({
      data: Uint8Array.from({ length: 96 * 96 }, (__, i) =>
        (cell(i % 96, Math.floor(i / 96)) & 1) === black ? 0 : 255,
      ),
      width: 96,
      height: 96,
      channels: 1,
    })
    const { norm3, maximum } = compare(drawn(0), drawn(1))
    expect(Math.abs(norm3 / norm - 1)).toBeLessThan(0.05)
    expect(Math.abs(maximum / largest - 1)).toBeLessThan(0.05)
  })

  it('does not see colour under full transparency', () => {
    expect(compare(plain(40, 40, [255, 0, 0, 0]), plain(40, 40, [0, 255, 0, 0])).maximum).toBe(0)
  })

  it('sees grey alike in one channel and in three', () => {
    const grey = texture(50, 41, 1, 5)
    const other = distort(grey, 'soft')
    const spread = ({ data, width, height }: AnyRaster): AnyRaster => ({
      data: Uint8Array.from({ length: data.length * 3 }, (_, i) => data[Math.floor(i / 3)]!),
      width,
      height,
      channels: 3,
    })
    expect(compare(spread(grey), spread(other))).toEqual(compare(grey, other))
  })

  it.each([
    ['a photograph', photograph, distort(photograph, 'blocks')],
    ['transparency', softLogo, distort(softLogo, 'coarse')],
    ['a strip', texture(9, 300, 3, 1), texture(9, 300, 3, 2)],
  ])('says the same whether or not the reference is kept: %s', (_, one, other) => {
    expect(compare(one, other, streaming)).toEqual(compare(one, other))
  })

  it('sees what becomes transparent of an opaque reference as if it had been so prepared', () => {
    const opaque = plain(48, 48, [120, 90, 60])
    const other = plain(48, 48, [120, 90, 60, 128])
    expect(compare(opaque, other)).toEqual(compare(plain(48, 48, [120, 90, 60, 255]), other))
    expect(compare(opaque, other).norm3).toBeGreaterThan(1)
  })

  it('compares many candidates with one reference, in any order', () => {
    using reference = butteraugli.prepare(photograph)
    const [soft, noise] = [distort(photograph, 'soft'), distort(photograph, 'noise')]
    const first = reference.compare(soft)
    reference.compare(noise)
    expect(reference.compare(soft)).toEqual(first)
  })

  it('gives memory back to the pool, not to the next image', () => {
    const first = compare(texture(120, 80, 3, 3), texture(120, 80, 3, 4))
    compare(photograph, distort(photograph, 'noise'))
    expect(compare(texture(120, 80, 3, 3), texture(120, 80, 3, 4))).toEqual(first)
  })

  it('keeps a reference only in memory that stays for the next one', async () => {
    const frugal = await openButteraugli({ idle: 1e6 })
    const candidate = distort(photograph, 'soft')
    using reference = frugal.prepare(photograph)
    using usual = butteraugli.prepare(photograph)
    expect(usual.bytes).toBeGreaterThan(1e6)
    expect(reference.bytes).toBe(0)
    expect(reference.compare(candidate)).toEqual(usual.compare(candidate))
  })

  it('refuses another size', () => {
    using reference = butteraugli.prepare(photograph)
    expect(() => reference.compare(softLogo)).toThrow(RangeError)
  })
})
