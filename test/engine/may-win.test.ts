import sharp from 'sharp'
import { expect, test } from 'vitest'
import { deadlineIn } from '../../src/core/deadline.ts'
import { openExaminer } from '../../src/engine/child/examine.ts'
import { mayWin } from '../../src/engine/child/may-win.ts'
import type { SearchRequest } from '../../src/formats/format.ts'
import { openMetrics } from '../../src/metric/metrics.ts'
import { toPixels } from '../../src/raster/raw.ts'
import { survey } from '../../src/raster/survey.ts'
import { PHOTO } from './samples.ts'

test('a large image is tried on a part of it, which is measured against that part', async () => {
  const pixels = await toPixels(await sharp(PHOTO).resize(1600, 1400, { fit: 'fill' }).png().toBuffer())
  const target = { kind: 'score' as const, preset: 'medium' as const, score: 75 }
  using examiner = openExaminer(await openMetrics(), { pixels, target, density: 1 })
  const request = (best: number): SearchRequest => ({
    pixels,
    traits: survey(pixels),
    wanted: { kind: 'score', goal: { score: 75, slack: 1 } },
    ...examiner,
    deadline: deadlineIn(60_000),
    beat: () => best,
    encoded: () => undefined,
    outOfTime: () => undefined,
  })
  expect([await mayWin('jpeg', request(10_000_000)), await mayWin('jpeg', request(20_000))]).toEqual([true, false])
})
