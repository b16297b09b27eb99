import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import sharp from 'sharp'
import { beforeAll, describe, expect, it } from 'vitest'
import { deadlineIn } from '../../src/core/deadline.ts'
import type { Raster } from '../../src/core/image.ts'
import type { ResultFile } from '../../src/core/outcome.ts'
import { cssPx } from '../../src/core/units.ts'
import { processMetrics } from '../../src/metric/metrics.ts'
import { openSsimulacra2 } from '../../src/metric/ssimulacra2/ssimulacra2.ts'
import { openAnimation } from '../../src/motion/frames/animation.ts'
import { lookSame, playSame } from '../../src/motion/frames/same-frames.ts'
import { gifsiclePath } from '../../src/motion/gif/gifsicle.ts'
import type { Method, Resize } from '../../src/options/options.ts'
import { brokenBounds } from '../../src/plan/promise.ts'
import { boundsFor } from '../../src/plan/targets.ts'
import { scratchDirectory } from '../scratch.ts'
import { fixture, make, makePlain } from './request.ts'

const GIFS = (await readdir(fixture(''))).filter((name) => name.endsWith('.gif'))
const gif = { format: 'gif' } as const
const box = (width: number, height: number, method: Method): Resize => ({
  kind: 'box',
  width: cssPx(width),
  height: cssPx(height),
  density: 1,
  method,
})

let metric: Awaited<ReturnType<typeof openSsimulacra2>>
beforeAll(async () => {
  metric = await openSsimulacra2()
})
const score = (reference: Raster, candidate: Raster): number => {
  using prepared = metric.prepare(reference)
  return prepared.compare(candidate)
}

/** A GIF of two frames of 4.1 megapixels: shades of 64 colours with a square that moves. */
const largeDrawing = async (): Promise<string> => {
  const [side, frames] = [2024, 2]
  const data = Buffer.alloc(side * side * frames * 3)
  for (let at = 0; at < side * side * frames; at += 1) {
    const [x, y, frame] = [at % side, Math.floor(at / side) % side, Math.floor(at / (side * side))]
    const isSquare = Math.abs(x - 100 - frame * 40) < 50 && Math.abs(y - 500) < 50
    data.fill(isSquare ? 255 : (Math.floor((x + (y % 3)) / 16) % 64) * 4, at * 3, at * 3 + 3)
  }
  const path = join(await scratchDirectory('gif'), 'large.gif')
  const raw = { width: side, height: side * frames, channels: 3, pageHeight: side } as const
  await sharp(data, { raw, limitInputPixels: false }).gif({ dither: 0, effort: 1 }).toFile(path)
  return path
}

describe('an animated GIF that stays GIF', () => {
  it('has gifsicle from npm', async () => expect(await gifsiclePath()).toMatch(/gifsicle/))

  it.each(GIFS)('%s keeps frames, delays and loop count, is no larger, and looks as asked', async (name) => {
    const { result, facts } = await makePlain(name, 'gif')
    const [source, played] = [await openAnimation(fixture(name), gif), await openAnimation(result.path, gif)]
    expect(playSame(source, played)).toBe(true)
    expect(result.bytes).toBeLessThanOrEqual(facts.bytes)
    const [before, after] = [await source.read(0, source.frames), await played.read(0, source.frames)]
    const scores = before.map((frame, i) => score(frame, after[i]!))
    expect(scores.reduce((sum, one) => sum + one, 0) / scores.length).toBeGreaterThanOrEqual(65)
  })

  it.each(GIFS)('%s keeps every pixel of every frame when lossless', async (name) => {
    const { result } = await make(name, 'gif', { target: { kind: 'lossless' } })
    expect(await lookSame(await openAnimation(fixture(name), gif), await openAnimation(result.path, gif))).toBe(true)
  })

  it.each(GIFS)('%s is resized in all its frames', async (name) => {
    const { result } = await make(name, 'gif', { resize: box(50, 40, { kind: 'pad' }), neverLarger: false })
    const [source, played] = [await openAnimation(fixture(name), gif), await openAnimation(result.path, gif)]
    expect(played.extent).toEqual({ width: 50, height: 40 })
    expect([played.frames, played.loop, played.delays]).toEqual([source.frames, source.loop, source.delays])
  })

  it('keeps every bound of the promise in every frame of a short animation', async () => {
    // A recording with grain: at a mean score of 71 it was full of streaks.
    const name = 'image-gif__moon_impact.gif'
    const { result } = await makePlain(name, 'gif')
    const [source, played] = [await openAnimation(fixture(name), gif), await openAnimation(result.path, gif)]
    const [before, after] = [await source.read(0, source.frames), await played.read(0, source.frames)]
    const metrics = await processMetrics()
    const broken = before.flatMap((frame, number) => {
      using reference = metrics.prepare(frame)
      return [...brokenBounds(reference.measure(after[number]!), boundsFor('medium', 1))]
    })
    expect(broken).toEqual([])
    expect(result.meetsTarget).toBe(true)
  })

  const storedBy = async ({ path }: ResultFile): Promise<string[]> =>
    (await readdir(dirname(path))).filter((file) => file.startsWith('stored-')).sort()
  const storedWays = async (name: string): Promise<string[]> => storedBy((await makePlain(name, 'gif')).result)

  it('is stored by gifsicle without loss alone, because our own coder reaches the goal', async () => {
    for (const name of ['image-gif__moon_impact.gif', 'sharp__animated-loop-3.gif'])
      expect(await storedWays(name)).toEqual(['stored-0.gif'])
  })

  it('is stored with losses by gifsicle where it is too large for our own coder, and keeps the promise', async () => {
    const { result } = await make(await largeDrawing(), 'gif')
    expect(await storedBy(result)).toContain('stored-20.gif')
    expect(result.meetsTarget).toBe(true)
  })

  it('offers something quick before the best', async () => {
    const { offers, result } = await makePlain('image-gif__moon_impact.gif', 'gif')
    expect(offers.length).toBeGreaterThan(1)
    expect(result.bytes).toBe(offers.at(-1)!.bytes)
    expect(result.meetsTarget).toBe(true)
  })

  it('returns the source itself when time is up at once', async () => {
    const { result } = await make('sharp__animated-loop-3.gif', 'gif', { deadline: deadlineIn(0) })
    expect(await readFile(result.path)).toEqual(await readFile(fixture('sharp__animated-loop-3.gif')))
    expect(result).toMatchObject({ untouched: true, cutShort: true })
  })

  it('is not handed to gifsicle when our own decoder does not accept all of it', async () => {
    const whole = await readFile(fixture('sharp__animated-loop-3.gif'))
    const directory = await scratchDirectory('gif')
    const path = join(directory, 'damaged.gif')
    // Codes of the last frame that stand for nothing: all headers are whole, and gifsicle alone would go on.
    await writeFile(path, Buffer.concat([whole.subarray(0, -400), Buffer.alloc(390, 0xff), whole.subarray(-10)]))
    const stages: string[] = []
    const making = make(path, 'gif', { stage: (name) => void stages.push(name) })
    await expect(making).rejects.toMatchObject({ code: 'SOURCE_DAMAGED' })
    expect(stages).toContain('decode')
    expect(stages).not.toContain('search')
  })

  it('gives low fewer bytes than medium, and high more', async () => {
    const smaller = { resize: box(100, 100, { kind: 'fit' }), neverLarger: false }
    const bytes = async (preset: 'low' | 'medium' | 'high', score: number): Promise<number> =>
      (await make('image-gif__moon_impact.gif', 'gif', { ...smaller, target: { kind: 'score', score, preset } })).result
        .bytes
    const [low, medium, high] = [await bytes('low', 55), await bytes('medium', 70), await bytes('high', 85)]
    expect(low).toBeLessThan(medium)
    expect(medium).toBeLessThan(high)
  })
})

it('a lower preset gives no more bytes than a higher one: there is time for fewer colours, which save most', async () => {
  const name = 'fastimage__animated_without_gct.gif'
  const bytes = async (preset: 'low' | 'high', score: number): Promise<number> =>
    (await make(name, 'gif', { target: { kind: 'score', score, preset } })).result.bytes
  const medium = (await makePlain(name, 'gif')).result.bytes
  const [low, high] = [await bytes('low', 55), await bytes('high', 85)]
  expect([low <= medium, medium <= high]).toEqual([true, true])
})

/** A GIF of three frames of fine shades and grain that move, dithered in 256 colours. */
const shaded = async (): Promise<string> => {
  const [width, height, frames] = [160, 120, 3]
  const data = Buffer.alloc(width * height * frames * 3)
  for (let at = 0; at < width * height * frames; at += 1) {
    const x = (at % width) + Math.floor(at / (width * height)) * 9
    const y = Math.floor(at / width) % height
    const grain = ((Math.imul(x * 131 + y * 7919 + 1, 0x9e3779b1) >>> 9) % 2) - 1
    const red = 128 + 75 * Math.sin(x / 23 + y / 31) + grain
    data.set([red, red * 0.7 + 12.8 + 7.5 * Math.sin(x / 37 - y / 19) + grain * 0.1, 60], at * 3)
  }
  const path = join(await scratchDirectory('gif'), 'shaded.gif')
  const raw = { width, height: height * frames, channels: 3, pageHeight: height } as const
  await sharp(data, { raw }).gif({ dither: 1, effort: 7 }).toFile(path)
  return path
}

it('keeps of changed frames what libvips, that made the base of them, broke', async () => {
  const { result } = await make(await shaded(), 'gif', { resize: box(120, 120, { kind: 'fit' }), neverLarger: false })
  expect(result.meetsTarget).toBe(true)
  expect(result.warnings).toEqual([])
})

/** A GIF of a red square that wanders to the right on a white ground with a border. */
const wandering = async (): Promise<string> => {
  const frame = async (left: number): Promise<Buffer> =>
    sharp({ create: { width: 60, height: 40, channels: 4, background: 'white' } })
      .composite([{ input: { create: { width: 10, height: 10, channels: 4, background: 'red' } }, left, top: 15 }])
      .raw()
      .toBuffer()
  const data = Buffer.concat([await frame(5), await frame(20), await frame(45)])
  const path = join(await scratchDirectory('gif'), 'wandering.gif')
  await writeFile(
    path,
    await sharp(data, { raw: { width: 60, height: 120, channels: 4, pageHeight: 40 } })
      .gif({ delay: [30, 40, 50], loop: 3 })
      .toBuffer(),
  )
  return path
}

describe('geometry of animations', () => {
  it('trims one border for all frames and cuts nothing off that moves', async () => {
    const { result } = await make(await wandering(), 'gif', { trim: true, neverLarger: false })
    const played = await openAnimation(result.path, gif)
    expect(played.extent).toEqual({ width: 50, height: 10 })
    expect([played.delays, played.loop]).toEqual([[30, 40, 50], 3])
    const reds = (await played.read(0, 3)).map(
      ({ data }) => data.findIndex((_, i) => i % 4 === 1 && data[i]! < 128) >> 2,
    )
    expect(reds).toEqual([0, 15, 40])
  })

  it('crops towards an edge in every frame', async () => {
    const focus = { kind: 'edge', edge: 'right' } as const
    const { result } = await make(await wandering(), 'gif', {
      resize: box(20, 20, { kind: 'crop', focus }),
      neverLarger: false,
    })
    const frames = await (await openAnimation(result.path, gif)).read(0, 3)
    const holdsRed = frames.map(({ data }) => data.some((_, i) => i % 4 === 1 && data[i]! < 100))
    expect(holdsRed).toEqual([false, true, true])
  })

  it('decides crop=auto once', async () => {
    const focus = { kind: 'auto' } as const
    const { result } = await make(await wandering(), 'gif', {
      resize: box(20, 40, { kind: 'crop', focus }),
      neverLarger: false,
    })
    expect(await openAnimation(result.path, gif)).toMatchObject({ extent: { width: 20, height: 40 }, frames: 3 })
  })

  it('pads with the background colour', async () => {
    const { result } = await make(await wandering(), 'gif', {
      resize: box(60, 60, { kind: 'pad' }),
      background: { r: 0, g: 0, b: 255 },
      neverLarger: false,
    })
    const [first] = await (await openAnimation(result.path, gif)).read(0, 1)
    expect([...first!.data.subarray(0, 4)]).toEqual([0, 0, 255, 255])
  })

  it('pads with transparency', async () => {
    const { result } = await make(await wandering(), 'gif', {
      resize: box(60, 60, { kind: 'pad' }),
      background: 'transparent',
      neverLarger: false,
    })
    const frames = await (await openAnimation(result.path, gif)).read(0, 3)
    expect(frames.map(({ data }) => data[3])).toEqual([0, 0, 0])
  })
})
