import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import type { Raster } from '../../src/core/image.ts'
import { coarsen } from '../../src/formats/levels/coarsen.ts'
import { openMetrics } from '../../src/metric/metrics.ts'
import { boundsFor } from '../../src/plan/targets.ts'
import { toPixels } from '../../src/raster/raw.ts'
import { run } from '../engine/run.ts'
import { cutOut } from './cut-out.ts'

const metrics = await openMetrics()

describe('a photograph cut out of its background, which no palette shows well enough,', () => {
  it.each([
    ['medium', 0.6],
    ['high', 0.75],
  ] as const)('keeps every bound of %s in fewer bytes than without loss', async (quality, share) => {
    const source = await cutOut()
    const { result, bytes, format } = await run(source, { options: `full,quality=${quality}` })
    const { bytes: lossless } = await run(source, { options: 'full,quality=lossless' })
    const pixels = await toPixels(source)
    using reference = metrics.prepare(pixels)
    const scores = reference.measure(await toPixels(bytes))
    const bounds = boundsFor(quality, 1)
    expect(format).toBe('png')
    expect(result.meetsTarget).toBe(true)
    expect(bytes.length).toBeLessThan(lossless.length * share)
    expect(scores.ssimulacra).toBeGreaterThan(bounds.ssimulacra)
    expect(scores.butteraugli3).toBeLessThan(bounds.butteraugli3)
    expect(scores.tileColour).toBeLessThan(bounds.tileColour)
    expect(scores.contour).toBeLessThan(bounds.contour)
  })
})

it('a screenshot with round corners keeps the colour of its ground, which takes no bytes', async () => {
  const ground = { r: 197, g: 188, b: 186, alpha: 1 }
  const corners = '<svg width="420" height="340"><rect width="420" height="340" rx="6"/></svg>'
  const window = sharp({ create: { width: 420, height: 340, channels: 4, background: ground } })
  const source = await window
    .composite([
      { input: await cutOut(), left: 20, top: 20 },
      { input: await cutOut(), left: 215, top: 160 },
      { input: Buffer.from(corners), blend: 'dest-in' },
    ])
    .png()
    .toBuffer()
  const { bytes } = await run(source, { options: 'full,quality=high' })
  const { bytes: lossless } = await run(source, { options: 'full,quality=lossless' })
  const { data } = await toPixels(bytes)
  expect([...data.subarray((10 * 420 + 200) * 4, (10 * 420 + 200) * 4 + 4)]).toEqual([197, 188, 186, 255])
  expect(bytes.length).toBeLessThan(lossless.length * 0.75)
})

describe('an image in fewer levels', () => {
  const WIDTH = 64
  const drawn = (colourAt: (x: number) => readonly number[]): Raster => ({
    width: WIDTH,
    height: WIDTH,
    channels: 4,
    data: Uint8Array.from({ length: WIDTH * WIDTH * 4 }, (_, at) => colourAt((at >> 2) % WIDTH)[at & 3]!),
  })
  const nowhere = new Uint8Array(WIDTH * WIDTH)
  const everywhere = new Uint8Array(WIDTH * WIDTH).fill(1)
  const at = ({ data }: Raster, x: number): number[] => [...data.subarray(x * 4, x * 4 + 4)]

  it.each([40, 17, 7, 2])('keeps black, white and what is wholly opaque or transparent at a step of %d', (step) => {
    const edges = drawn((x) => (x < 20 ? [0, 0, 0, 255] : x < 40 ? [255, 255, 255, 255] : [90, 80, 70, 0]))
    const coarse = coarsen(edges, { step, grey: false, smooth: nowhere, kept: nowhere })
    expect([at(coarse, 5), at(coarse, 25), at(coarse, 45)]).toEqual([
      [0, 0, 0, 255],
      [255, 255, 255, 255],
      [0, 0, 0, 0],
    ])
  })

  it('has no more levels than its step leaves', () => {
    const { data } = coarsen(
      drawn((x) => [x * 4, x * 3, x * 2, 255]),
      { step: 32, grey: false, smooth: everywhere, kept: nowhere },
    )
    const greens = new Set(data.filter((_, sample) => sample % 4 === 1))
    expect(greens.size).toBeLessThanOrEqual(9)
  })

  it('keeps the mean of gradients, where errors are handed on', () => {
    const coarse = coarsen(
      drawn(() => [103, 103, 103, 255]),
      { step: 20, grey: false, smooth: everywhere, kept: nowhere },
    )
    const mean = (channel: number): number =>
      coarse.data.reduce((sum, one, sample) => sum + (sample % 4 === channel ? one : 0), 0) / WIDTH ** 2
    for (const channel of [0, 1, 2]) expect(Math.abs(mean(channel) - 103)).toBeLessThan(2)
  })

  it('stays grey where it is', () => {
    const coarse = coarsen(
      drawn((x) => [x * 3, x * 3, x * 3, 200]),
      { step: 11, grey: true, smooth: everywhere, kept: nowhere },
    )
    for (let x = 0; x < WIDTH; x += 1) expect(new Set(at(coarse, x).slice(0, 3)).size).toBe(1)
  })
})
