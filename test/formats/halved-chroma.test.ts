import { expect, it } from 'vitest'
import type { Raster } from '../../src/core/image.ts'
import { forgetHalvedChroma, forHalvedChroma } from '../../src/formats/halved-chroma.ts'
import { openMetrics } from '../../src/metric/metrics.ts'
import { fromPixels, toPixels } from '../../src/raster/raw.ts'

type Colour = readonly [number, number, number]

/** An image of 3 channels whose colour is a function of its place. */
const painted = (width: number, height: number, colourAt: (x: number, y: number) => Colour): Raster => {
  const data = new Uint8Array(width * height * 3)
  for (let i = 0; i < width * height; i++) data.set(colourAt(i % width, Math.floor(i / width)), i * 3)
  return { width, height, channels: 3, data }
}

const RED: Colour = [200, 30, 40]
const GREEN: Colour = [20, 150, 60]
const stripes = (width: number, height: number): Raster =>
  painted(width, height, (x, y) => ((x + y) % 5 < 2 ? RED : GREEN))

it('shows saturated stripes nearer to the source than pixels that are not corrected', async () => {
  const pixels = stripes(97, 63)
  using reference = (await openMetrics()).prepare(pixels)
  const scoreOf = async (from: Raster) => {
    const shown = await toPixels(await fromPixels(from).webp({ quality: 95 }).toBuffer())
    const { ssimulacra, tileColour } = reference.measure(shown)
    return { ssimulacra, tileColour }
  }
  const [before, after] = [await scoreOf(pixels), await scoreOf(forHalvedChroma(pixels))]
  expect(after.ssimulacra).toBeGreaterThan(before.ssimulacra + 3)
  expect(after.tileColour).toBeLessThan(before.tileColour)
})

it('leaves grey pixels as they are', () => {
  const pixels = painted(
    21,
    15,
    (x, y) => [x * 12, x * 12, x * 12].map((code) => (code + y) % 256) as unknown as Colour,
  )
  expect(forHalvedChroma(pixels).data).toEqual(pixels.data)
})

it('leaves blocks with transparency as they are', () => {
  const opaque = stripes(8, 8)
  const data = new Uint8Array(8 * 8 * 4)
  for (let i = 0; i < 64; i++) data.set([...opaque.data.subarray(i * 3, i * 3 + 3), i % 8 < 4 ? 255 : 128], i * 4)
  const shown = forHalvedChroma({ width: 8, height: 8, channels: 4, data }).data
  const half = (from: Uint8Array, left: number) =>
    Array.from({ length: 8 }, (_, y) => [...from.subarray((y * 8 + left) * 4, (y * 8 + left + 4) * 4)]).flat()
  expect(half(shown, 4)).toEqual(half(data, 4))
  expect(half(shown, 0)).not.toEqual(half(data, 0))
})

it('corrects all strips of a tall image alike', () => {
  const pixels = stripes(10, 400)
  const rows = forHalvedChroma(pixels).data
  const rowAt = (y: number) => rows.subarray(y * 30, (y + 1) * 30)
  // The pattern and the blocks repeat after 10 rows.
  for (let y = 20; y < 370; y++) expect(rowAt(y)).toEqual(rowAt(y + 10))
})

it('corrects the same pixels once until their copy is forgotten, and then alike', () => {
  const pixels = stripes(20, 20)
  const first = forHalvedChroma(pixels)
  expect(forHalvedChroma(pixels)).toBe(first)
  forgetHalvedChroma(pixels)
  const second = forHalvedChroma(pixels)
  expect(second).not.toBe(first)
  expect(second.data).toEqual(first.data)
})

it('takes faint detail from all strips of a tall image alike', () => {
  const pixels = painted(32, 600, (x, y) => {
    const grey = (x % 8 < 4 ? 80 : 160) + ((x + y) % 2) * 6
    return [grey, grey, grey]
  })
  const rows = forHalvedChroma(pixels, 60).data
  expect(rows).not.toEqual(pixels.data)
  for (let y = 16; y < 576; y++)
    expect(rows.subarray(y * 96, (y + 1) * 96)).toEqual(rows.subarray((y + 8) * 96, (y + 9) * 96))
})
