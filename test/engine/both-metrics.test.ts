import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { searchJpeg } from '../../src/jpeg/search/search-jpeg.ts'
import { openMetrics } from '../../src/metric/metrics.ts'
import { boundsFor, goalFor } from '../../src/plan/targets.ts'
import { toPixels } from '../../src/raster/raw.ts'
import { run } from './run.ts'

/** Parrots before soft leaves: a score alone is reached with flat patches that Butteraugli minds. */
const parrots = await readFile(new URL('../fixtures/jpeg/kodim23-190x158.png', import.meta.url))
const metrics = await openMetrics()

describe('the bound on Butteraugli', () => {
  it.each([
    'low',
    'medium',
    'high',
  ] as const)('is kept at %s, where a search to the score alone exceeds it', async (preset) => {
    const { ssimulacra, butteraugli3 } = boundsFor(preset, 1)
    const pixels = await toPixels(parrots)
    using reference = metrics.prepare(pixels)
    const compare = (shown: typeof pixels): number => reference.measure(shown).ssimulacra
    const alone = [...searchJpeg(pixels, { compare }, { target: goalFor(ssimulacra) })].at(-1)!
    expect(reference.measure(await toPixels(alone.bytes)).butteraugli3).toBeGreaterThan(butteraugli3)

    const { result, bytes } = await run(parrots, { options: `quality=${preset},full,format=jpeg` })
    const scores = reference.measure(await toPixels(bytes))
    expect(scores.butteraugli3).toBeLessThanOrEqual(butteraugli3)
    expect(scores.ssimulacra).toBeGreaterThanOrEqual(ssimulacra)
    expect(result.meetsTarget).toBe(true)
    // The search's measurements equal those of the returned bytes.
    expect(result.butteraugli).toBeCloseTo(scores.butteraugli3, 6)
    expect(result.score).toBeCloseTo(scores.ssimulacra, 6)
  })

  it.each(['webp', 'avif', 'png'] as const)('is kept in %s', async (format) => {
    const { result, bytes } = await run(parrots, { options: `quality=medium,full,format=${format}` })
    using reference = metrics.prepare(await toPixels(parrots))
    const { butteraugli3 } = reference.measure(await toPixels(bytes))
    expect(butteraugli3).toBeLessThanOrEqual(boundsFor('medium', 1).butteraugli3)
    expect(result.butteraugli).toBeCloseTo(butteraugli3, 6)
  })
})

describe('a detail on wide ground, which hardly counts in the whole', () => {
  it.each(['jpeg', 'webp', 'png'] as const)('keeps near to the bound in %s', async (format) => {
    const ground = { width: 800, height: 640, channels: 3 as const, background: '#555' }
    const source = await sharp({ create: ground })
      .composite([{ input: parrots, left: 320, top: 256 }])
      .removeAlpha()
      .png()
      .toBuffer()
    const { result, bytes } = await run(source, { options: `quality=medium,full,format=${format}` })
    using reference = metrics.prepare(await toPixels(source))
    const { worstTileButteraugli } = reference.measure(await toPixels(bytes))
    expect(worstTileButteraugli).toBeLessThanOrEqual((boundsFor('medium', 1).butteraugli3 * 4) / 3)
    expect(result.meetsTarget).toBe(true)
  })
})
