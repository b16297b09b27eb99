import sharp from 'sharp'
import { expect, test } from 'vitest'
import { deadlineIn } from '../../src/core/deadline.ts'
import type { Raster } from '../../src/core/image.ts'
import { openOdds } from '../../src/engine/child/may-win.ts'
import { openExaminer } from '../../src/formats/examine.ts'
import type { SearchRequest } from '../../src/formats/format.ts'
import { openMetrics } from '../../src/metric/metrics.ts'
import { goalFor } from '../../src/plan/targets.ts'
import { toPixels } from '../../src/raster/raw.ts'
import { survey } from '../../src/raster/survey.ts'
import { PHOTO } from './samples.ts'

const open = async (pixels: Raster) => {
  const target = { kind: 'score' as const, preset: 'medium' as const, score: 75 }
  const examiner = openExaminer(await openMetrics(), { pixels, target, density: 1 })
  const request = (best: number): SearchRequest => ({
    pixels,
    features: survey(pixels),
    wanted: { kind: 'score', goal: { score: goalFor(75), slack: 1 } },
    ...examiner,
    deadline: deadlineIn(60_000),
    alone: false,
    beat: () => best,
    encoded: () => undefined,
    letOthersFirst: async () => false,
    outOfTime: () => undefined,
  })
  const odds = openOdds(request(1e9))
  return { mayWinAgainst: (best: number) => openOdds(request(best)).mayWin('jpeg'), odds, ...examiner }
}

test('part of a large image is tried, and measured against that part', async () => {
  using tried = await open(await toPixels(await sharp(PHOTO).resize(1600, 1400, { fit: 'fill' }).png().toBuffer()))
  expect([await tried.mayWinAgainst(10_000_000), await tried.mayWinAgainst(20_000)]).toEqual([true, false])
})

test('part of a large image predicts whether a JPEG is smaller', async () => {
  using tried = await open(await toPixels(await sharp(PHOTO).resize(1600, 1400, { fit: 'fill' }).png().toBuffer()))
  const { isLikelyBelow } = tried.odds
  expect([await isLikelyBelow('jpeg', () => 10_000_000), await isLikelyBelow('jpeg', () => 20_000)]).toEqual([
    true,
    false,
  ])
  expect(await isLikelyBelow('webp', () => 10_000_000)).toBe(false)
})

test('nothing is predicted for a small image', async () => {
  using tried = await open(await toPixels(await sharp(PHOTO).resize(400).png().toBuffer()))
  expect(await tried.odds.isLikelyBelow('jpeg', () => 10_000_000)).toBe(false)
})

test('areas of one colour cost bytes in a JPEG too', async () => {
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
  using tried = await open(await toPixels(composed))
  // 115,200 blocks and chroma take 14,400 bytes at the least, the photograph some 13,700.
  expect([await tried.mayWinAgainst(60_000), await tried.mayWinAgainst(18_000)]).toEqual([true, false])
})
