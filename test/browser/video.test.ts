import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Raster } from '../../src/core/image.ts'
import { openSsimulacra2 } from '../../src/metric/ssimulacra2/ssimulacra2.ts'
import { openAnimation, pickFrames } from '../../src/motion/frames/animation.ts'
import { playedDelays, startTimes, sumOf } from '../../src/motion/frames/timing.ts'
import { flatten } from '../../src/raster/flatten.ts'
import { cutOut } from '../../src/raster/trim.ts'
import { fixture, make } from '../motion/request.ts'
import { openChromium } from './chromium.ts'
import { playVideo } from './play-video.ts'

/** The fixtures, or all GIFs of another directory: MOTION_CORPUS=../shared/corpus/gif-animated npm run test:browser */
const DIRECTORY = process.env['MOTION_CORPUS'] ?? fixture('')
const GIFS = (await readdir(DIRECTORY)).filter((name) => name.endsWith('.gif'))
/** Minimum px of a side for a meaningful score. */
const JUDGED_SIDE = 16
/** A score that only the same picture reaches, whatever its loss. */
const SAME_PICTURE = 20
/** The Warning for drawings whose one-pixel coloured lines video cannot keep. */
const COLOUR_LINES = /colour at half the resolution/

let browser: Browser
let page: Page
let metric: Awaited<ReturnType<typeof openSsimulacra2>>
beforeAll(async () => {
  browser = await openChromium()
  page = await browser.newPage()
  metric = await openSsimulacra2()
})
afterAll(() => browser?.close())

const score = (frame: Raster, shot: Raster): number => {
  const box = { left: 0, top: 0, width: shot.width, height: shot.height }
  using reference = metric.prepare(cutOut(flatten(frame, 'transparent'), box))
  return reference.compare(flatten(shot, 'transparent'))
}

const sameData = (a: Raster, b: Raster): boolean => Buffer.compare(a.data, b.data) === 0

describe.each(['h264', 'webm'] as const)('in Chromium, %s', (format) => {
  it.each(GIFS)('the video of %s plays to its end with the right size, duration and frames', async (name) => {
    const path = join(DIRECTORY, name)
    const source = await openAnimation(path, { format: 'gif' })
    const delays = playedDelays(source.delays, source.frames)
    const numbers = [...new Set([0, source.frames >> 1, source.frames - 1])]
    const starts = startTimes(delays)
    const middles = numbers.map((number) => starts[number]! + delays[number]! / 2)
    const { result } = await make(path, format)
    const played = await playVideo(page, result.path, middles)
    expect(played).toMatchObject({ width: result.width, height: result.height, ended: true })
    expect(played.durationMs).toBeCloseTo(sumOf(delays), 0)
    if (Math.min(result.width, result.height) < JUDGED_SIDE) return
    const frames = await pickFrames(source, numbers)
    for (const [i, shot] of played.shots.entries()) {
      const scores = frames.map((frame) => score(frame, shot))
      expect(scores[i]).toBe(
        Math.max(...scores.filter((_, other) => !sameData(frames[i]!, frames[other]!) || other === i)),
      )
      if (!COLOUR_LINES.test(result.warnings.join())) expect(scores[i]).toBeGreaterThan(SAME_PICTURE)
    }
  })
})
