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

const alphaOf = async (image: Uint8Array): Promise<Buffer> => sharp(image).extractChannel('alpha').raw().toBuffer()

it("a WebP's soft transparency is stored without loss in as few bytes as libwebp finds at its slowest", async () => {
  const source = await cutOut()
  const { bytes, made } = await run(source, { options: 'full,format=webp' })
  const slowest = await sharp(source).webp({ effort: 6, quality: 70 }).toBuffer()
  const hastier = await sharp(source).webp({ effort: 5, quality: 70 }).toBuffer()
  expect(bytesOfAlpha(slowest)).toBeLessThan(bytesOfAlpha(hastier))
  expect(bytesOfAlpha(bytes)).toBeLessThanOrEqual(bytesOfAlpha(slowest))
  expect(Buffer.compare(await alphaOf(bytes), await alphaOf(source))).toBe(0)
  using reference = (await openMetrics()).prepare(await toPixels(source))
  const { butteraugli3 } = reference.measure(await toPixels(bytes))
  expect(butteraugli3).toBeLessThan(boundsFor('medium', 1).butteraugli3)
  expect(made.butteraugli).toBeCloseTo(butteraugli3, 6)
})
