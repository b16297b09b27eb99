import { readFileSync } from 'node:fs'
import { deflateSync, inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Raster } from '../../src/core/image.ts'
import { deflateHard, MAX_DEFLATE_BYTES } from '../../src/formats/deflate.ts'
import { countColours } from '../../src/formats/palette/histogram.ts'
import { exactPalette } from '../../src/formats/palette/remap.ts'
import { writeIndexedPng } from '../../src/formats/palette/write-png.ts'
import { writeSmallestPng } from '../../src/formats/palette/write-smallest.ts'
import { toPixels } from '../../src/raster/raw.ts'

const USUAL = { rounds: 6, depth: 100 }

/** Bytes below `range` that look random and are the same every time. */
const random = (count: number, range: number, seed = 1): Uint8Array => {
  let state = seed
  return Uint8Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state >>> 8) % range
  })
}

/** Pieces of a text of its own, each again and again, in no order. */
const pieces = (count: number, seed: number): Uint8Array => {
  const text = random(4096, 200, seed)
  const places = random(count, 255, seed + 1)
  const out = new Uint8Array(count * 20)
  for (let i = 0; i < count; i += 1) out.set(text.subarray(places[i]! * 16, places[i]! * 16 + 20), i * 20)
  return out
}

const INPUTS: readonly (readonly [name: string, bytes: Uint8Array])[] = [
  ['one byte', Uint8Array.of(7)],
  ['two bytes', Uint8Array.of(7, 7)],
  ['four bytes', Uint8Array.of(1, 2, 3, 1)],
  ['all bytes once', Uint8Array.from({ length: 256 }, (_, i) => i)],
  ['one byte, a million times and more', new Uint8Array(2_500_000).fill(9)],
  ['noise', random(70_000, 256)],
  ['noise of three values', random(300_000, 3)],
  ['rows alike', Uint8Array.from({ length: 400_000 }, (_, i) => ((i % 1001) * 7) % 251)],
  ['what comes again from as far as can be told', Buffer.concat([random(40_000, 256), random(40_000, 256)])],
  ['what comes again a byte too far off', Buffer.concat([random(32_768, 256), random(32_768, 256)])],
  ['pieces', pieces(30_000, 3)],
  ['noise, then a flat, then pieces', Buffer.concat([random(50_000, 256), new Uint8Array(1_100_000), pieces(5000, 5)])],
  [
    'counts that rise like Fibonacci’s numbers',
    Buffer.concat(Array.from({ length: 24 }, (_, i) => Buffer.alloc(Math.round(1.618 ** i), random(7, 256, i)))),
  ],
]

describe('memory for the input of deflate', () => {
  const module = new WebAssembly.Module(readFileSync(new URL('../../kernels/deflate/deflate.wasm', import.meta.url)))
  it.each([
    [500_000, true],
    // The input alone would fit into 4 GB, and so would all that comes after the output.
    [3_400_000_000, false],
  ])('is allocated for %d bytes: %s', (bytes, there) => {
    const { exports } = new WebAssembly.Instance(module, { env: {} })
    expect((exports.configure as (bytes: number) => number)(bytes) !== 0).toBe(there)
  })
})

describe('a stream deflated hard', () => {
  it.each(INPUTS)('inflates to the same: %s', async (_, bytes) => {
    const stream = await deflateHard(bytes, USUAL)
    expect(Buffer.compare(inflateSync(stream), bytes)).toBe(0)
    expect(stream.length).toBeLessThan(bytes.length * 1.01 + 100)
  })

  it('inflates to the same for any length and range', async () => {
    for (let seed = 1; seed <= 150; seed += 1) {
      const bytes = random(1 + ((seed * seed * 37) % 5000), 1 + ((seed * 13) % 60), seed)
      expect(Buffer.compare(inflateSync(await deflateHard(bytes, USUAL)), bytes)).toBe(0)
    }
  })

  it('is smaller than zlib makes it, and smaller yet with more effort', async () => {
    // Waves of a few values that never quite repeat, as shading in a palette.
    const bytes = Uint8Array.from(
      { length: 120_000 },
      (_, i) => 8 + Math.round(6 * Math.sin((i % 400) / 23 + Math.floor(i / 400) / 11)),
    )
    const [usual, most] = [await deflateHard(bytes, USUAL), await deflateHard(bytes, { rounds: 15, depth: 300 })]
    expect(usual.length).toBeLessThan(deflateSync(bytes, { level: 9, memLevel: 9 }).length * 0.98)
    expect(most.length).toBeLessThanOrEqual(usual.length)
  })

  it('is the same every time', async () => {
    const bytes = pieces(2000, 8)
    const first = await deflateHard(bytes, USUAL)
    await deflateHard(random(90_000, 40), USUAL)
    expect(Buffer.compare(await deflateHard(bytes, USUAL), first)).toBe(0)
  })

  it('is refused where it is too much', async () => {
    await expect(deflateHard(new Uint8Array(MAX_DEFLATE_BYTES + 1), USUAL)).rejects.toThrow(RangeError)
  })
})

describe('the smallest PNG of a palette', () => {
  const drawn = (width: number, height: number, levelAt: (x: number, y: number) => number): Raster => ({
    width,
    height,
    channels: 3,
    data: Uint8Array.from({ length: width * height * 3 }, (_, i) => {
      const at = Math.floor(i / 3)
      return levelAt(at % width, Math.floor(at / width))
    }),
  })

  it.each([
    ['an icon of few colours', drawn(40, 40, (x, y) => ((x * y) % 7) * 30)],
    [
      'a drawing',
      drawn(700, 500, (x, y) => (Math.hypot((x % 90) - 45, (y % 70) - 35) < 30 ? 240 : ((x >> 5) * 8) & 127)),
    ],
  ])('shows the same and is smaller than zlib makes it: %s', async (_, pixels) => {
    const image = exactPalette(pixels, countColours(pixels))
    const file = await writeSmallestPng(image)
    expect(Buffer.compare((await toPixels(file)).data, pixels.data)).toBe(0)
    expect(file.length).toBeLessThanOrEqual(writeIndexedPng(image, 9).length)
  })
})
