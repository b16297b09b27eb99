import sharp from 'sharp'
import { expect, it } from 'vitest'
import { readRiffChunks } from '../../src/containers/riff.ts'
import { openMetrics } from '../../src/metric/metrics.ts'
import { boundsFor } from '../../src/plan/targets.ts'
import { toPixels } from '../../src/raster/raw.ts'
import { run } from '../engine/run.ts'
import { cutOut } from './cut-out.ts'

const bytesOfAlpha = (webp: Uint8Array): number =>
  [...readRiffChunks(webp)].find(({ type }) => type === 'ALPH')!.whole.length

it("a WebP's soft transparency is stored in at most the bytes that libwebp needs at its slowest", async () => {
  const source = await cutOut()
  const { bytes, made } = await run(source, { options: 'full,format=webp' })
  const slowest = await sharp(source).webp({ effort: 6, quality: 70 }).toBuffer()
  const hastier = await sharp(source).webp({ effort: 5, quality: 70 }).toBuffer()
  expect(bytesOfAlpha(slowest)).toBeLessThan(bytesOfAlpha(hastier))
  expect(bytesOfAlpha(bytes)).toBeLessThanOrEqual(bytesOfAlpha(slowest))
  using reference = (await openMetrics()).prepare(await toPixels(source))
  const { butteraugli3 } = reference.measure(await toPixels(bytes))
  expect(butteraugli3).toBeLessThan(boundsFor('medium', 1).butteraugli3)
  expect(made.butteraugli).toBeCloseTo(butteraugli3, 6)
})

it('a WebP keeps only the levels of a busy transparency that show, within the bounds of its preset', async () => {
  const photograph = await sharp(await cutOut())
    .removeAlpha()
    .png()
    .toBuffer()
  const { data, info } = await sharp(photograph)
    .extractChannel('green')
    .linear(0.5, 127)
    .raw()
    .toBuffer({ resolveWithObject: true })
  const source = await sharp(photograph).joinChannel(data, { raw: info }).png().toBuffer()
  const { bytes, made } = await run(source, { options: 'full,format=webp' })
  const slowest = await sharp(source).webp({ effort: 6, quality: 70 }).toBuffer()
  expect(bytesOfAlpha(bytes)).toBeLessThan(0.8 * bytesOfAlpha(slowest))
  expect(made.warnings).toEqual([])
  expect(made.butteraugli).toBeLessThan(boundsFor('medium', 1).butteraugli3)
})
