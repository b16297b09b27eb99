import sharp from 'sharp'
import { expect, it } from 'vitest'
import { deadlineIn } from '../../src/core/deadline.ts'
import type { Raster } from '../../src/core/image.ts'
import { openExaminer } from '../../src/formats/examine.ts'
import type { SearchRequest } from '../../src/formats/format.ts'
import { estimates } from '../../src/formats/jpeg-estimate.ts'
import type { JpegForm } from '../../src/formats/jpeg-own.ts'
import { openStepPace } from '../../src/formats/step-pace.ts'
import { openMetrics } from '../../src/metric/metrics.ts'
import { minJpegBytes } from '../../src/plan/min-jpeg-bytes.ts'
import { goalFor } from '../../src/plan/targets.ts'
import { toPixels } from '../../src/raster/raw.ts'
import { survey } from '../../src/raster/survey.ts'
import { PHOTO } from '../engine/samples.ts'

const AS_JPEG: JpegForm = { format: 'jpeg', fromJpeg: (jpeg) => jpeg, pixelsOf: toPixels, minShare: 1 }

/** The estimates for an image where the best file has `best` bytes. */
const estimatesFor = async (pixels: Raster, best = 1e9): Promise<readonly number[]> => {
  const target = { kind: 'score' as const, preset: 'medium' as const, score: 75 }
  using examiner = openExaminer(await openMetrics(), { pixels, target, density: 1 })
  const request: SearchRequest = {
    pixels,
    features: survey(pixels),
    wanted: { kind: 'score', goal: { score: goalFor(75), slack: 1 } },
    ...examiner,
    deadline: deadlineIn(60_000),
    pace: openStepPace(),
    alone: false,
    bytesToBeat: () => best,
    encoded: () => undefined,
    outOfTime: () => undefined,
  }
  const all: number[] = []
  for await (const { bytes } of estimates(AS_JPEG, request)) all.push(bytes)
  return all
}

it('a large image is estimated by its least bytes, then by a part of it', async () => {
  const pixels = await toPixels(await sharp(PHOTO).resize(1600, 1400, { fit: 'fill' }).png().toBuffer())
  const [least, byPart] = await estimatesFor(pixels)
  expect(least).toBe(minJpegBytes(pixels, false))
  expect(byPart).toBeGreaterThan(20_000)
  expect(byPart).toBeLessThan(200_000)
})

it('a small image is estimated by its least bytes alone', async () => {
  const pixels = await toPixels(await sharp(PHOTO).resize(400).png().toBuffer())
  expect(await estimatesFor(pixels)).toEqual([minJpegBytes(pixels, false)])
})

it('an image without another file to compare with is not estimated', async () => {
  const pixels = await toPixels(await sharp(PHOTO).resize(400).png().toBuffer())
  expect(await estimatesFor(pixels, Number.POSITIVE_INFINITY)).toEqual([])
})

it('areas of one colour count in the estimate of a large image', async () => {
  const blank = { width: 512, height: 512, channels: 3 as const, background: 'white' }
  const patch = await sharp({ create: blank })
    .composite([{ input: PHOTO, tile: true }])
    .png()
    .toBuffer()
  const create = { width: 2560, height: 1920, channels: 3 as const, background: 'white' }
  const composed = await sharp({ create })
    .composite([{ input: patch, left: 640, top: 640 }])
    .removeAlpha()
    .png()
    .toBuffer()
  // 115,200 blocks and chroma take at least 14,400 bytes, the photograph about 13,700.
  const [, byPart] = await estimatesFor(await toPixels(composed))
  expect(byPart).toBeGreaterThan(18_000)
  expect(byPart).toBeLessThan(60_000)
})
