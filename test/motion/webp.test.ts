import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { openSsimulacra2 } from '../../src/metric/ssimulacra2/ssimulacra2.ts'
import { openAnimation } from '../../src/motion/frames/animation.ts'
import { lookSame } from '../../src/motion/frames/same-frames.ts'
import { sumOf } from '../../src/motion/frames/timing.ts'
import { setGifDelays } from '../../src/motion/gif/gif-delays.ts'
import type { LossyPreset } from '../../src/plan/targets.ts'
import { PHOTO } from '../engine/samples.ts'
import { scratchDirectory } from '../scratch.ts'
import { fixture, make, makePlain } from './request.ts'

const webp = { format: 'webp' } as const

/** A GIF of one photograph on which a hundred single pixels move: its frames share all others. */
const gifOfSpecks = async ({ width, height, frames }: { width: number; height: number; frames: number }) => {
  const still = await sharp(PHOTO).resize(width, height, { fit: 'fill' }).ensureAlpha().raw().toBuffer()
  const data = Buffer.concat(Array.from({ length: frames }, () => still))
  for (let frame = 0; frame < frames; frame++)
    for (let speck = 0; speck < 100; speck++) {
      const at = (speck * 7919 + frame * 104_729) % (width * height)
      data.set([255, 40, 0], (frame * width * height + at) * 4)
    }
  const raw = { width, height: height * frames, channels: 4, pageHeight: height } as const
  return sharp(data, { raw })
    .gif({ delay: Array.from({ length: frames }, () => 80) })
    .toBuffer()
}

/** An animation without loss of one photograph, whose right half pans. */
const panOf = async ({ width, height, frames }: { width: number; height: number; frames: number }): Promise<Buffer> => {
  const wide = width + frames * 4
  const pixelsOf = (across: number) =>
    sharp(PHOTO).resize(across, height, { fit: 'fill' }).ensureAlpha().raw().toBuffer()
  const [still, long] = [await pixelsOf(width), await pixelsOf(wide)]
  const frameOf = (frame: number): Buffer => {
    const data = Buffer.from(still)
    for (let row = 0; row < height; row++) {
      const from = (row * wide + width / 2 + frame * 4) * 4
      long.copy(data, (row * width + width / 2) * 4, from, from + width * 2)
    }
    return data
  }
  const raw = { width, height: height * frames, channels: 4, pageHeight: height } as const
  return sharp(Buffer.concat(Array.from({ length: frames }, (_, frame) => frameOf(frame))), { raw })
    .webp({ lossless: true, delay: Array.from({ length: frames }, () => 80) })
    .toBuffer()
}

describe('animated WebP', () => {
  it.each([
    ['sharp__rotating-squares.gif', 0],
    ['image-gif__moon_impact.gif', 11],
  ])('shows %s for as long and as often, with repeated frames joined', async (name, loop) => {
    const { result } = await makePlain(name, 'webp')
    const [source, played] = [
      await openAnimation(fixture(name), { format: 'gif' }),
      await openAnimation(result.path, webp),
    ]
    expect(sumOf(played.delays)).toBe(sumOf(source.delays))
    expect([played.loop, played.frames]).toEqual([loop, result.frames])
    expect(result.meetsTarget).toBe(true)
  })

  it.each([
    ['sharp__animated-loop-3.gif', 3],
    ['pillow__dispose_bgnd.gif', 0],
  ])('has the frames, times and loop count of %s', async (name, loop) => {
    const { result } = await makePlain(name, 'webp')
    const [source, played] = [
      await openAnimation(fixture(name), { format: 'gif' }),
      await openAnimation(result.path, webp),
    ]
    expect((await sharp(result.path).metadata()).format).toBe('webp')
    expect([played.frames, played.delays, played.loop]).toEqual([source.frames, source.delays, loop])
    expect(result.meetsTarget).toBe(true)
  })

  it.each([
    'image-gif__moon_impact.gif',
    'sharp__animated-loop-3.gif',
  ])('reaches the target in the frames that are shown of %s, joined or not', async (name) => {
    const { result } = await makePlain(name, 'webp')
    const [source, played] = [
      await openAnimation(fixture(name), { format: 'gif' }),
      await openAnimation(result.path, webp),
    ]
    const metric = await openSsimulacra2()
    const [frames, shown] = [await source.read(0, source.frames), await played.read(0, played.frames)]
    const ends = played.delays.map((_, i) => sumOf(played.delays.slice(0, i + 1)))
    const scores = frames.map((frame, i) => {
      const begins = sumOf(source.delays.slice(0, i))
      using reference = metric.prepare(frame)
      return reference.compare(shown[ends.findIndex((end) => end > begins)]!)
    })
    // Six of the frames are judged: the others come near.
    expect(sumOf(scores) / scores.length).toBeGreaterThan(68)
    expect(result.score).toBeGreaterThanOrEqual(70.25)
  })

  it('stores what browsers would play, not a delay of 0', async () => {
    const { result } = await makePlain('libgd__delay_0.gif', 'webp')
    expect((await openAnimation(result.path, webp)).delays).toEqual([100, 100])
  })

  it('keeps delays of minutes, joined frames included', async () => {
    const gif = await readFile(fixture('sharp__rotating-squares.gif'))
    const { frames } = await openAnimation(fixture('sharp__rotating-squares.gif'), { format: 'gif' })
    const delays = Array.from({ length: frames }, (_, i) => 50_000 + 10_000 * i)
    setGifDelays(gif, delays)
    const path = join(await scratchDirectory('webp'), 'slow.gif')
    await writeFile(path, gif)
    const { result } = await make(path, 'webp')
    expect(sumOf((await openAnimation(result.path, webp)).delays)).toBe(sumOf(delays))
    expect(result.warnings).toEqual([])
  })

  it.each([
    'pillow__dispose_bgnd.gif',
    'sharp__animated-loop-3.gif',
  ])('keeps every pixel of %s when lossless', async (name) => {
    const { result } = await make(name, 'webp', { target: { kind: 'lossless' } })
    expect(
      await lookSame(await openAnimation(fixture(name), { format: 'gif' }), await openAnimation(result.path, webp)),
    ).toBe(true)
  })

  it('has no frames of its own to begin playing at, which would cost a tenth here', async () => {
    const name = 'image-gif__moon_impact.gif'
    const { result } = await make(name, 'webp', { target: { kind: 'lossless' } })
    const usual = await sharp(fixture(name), { animated: true }).webp({ lossless: true, effort: 4 }).toBuffer()
    expect(result.bytes).toBeLessThan(0.9 * usual.length)
  })

  it('stores frames without loss when a lossy file is larger than the GIF', async () => {
    const path = join(await scratchDirectory('webp'), 'specks.gif')
    await writeFile(path, await gifOfSpecks({ width: 160, height: 120, frames: 30 }))
    const { result, facts } = await make(path, 'webp', { target: { kind: 'score', score: 45, preset: 'low' } })
    expect(result.bytes).toBeLessThan(1.2 * facts.bytes)
    expect(result.meetsTarget).toBe(true)
  })

  it.each<[LossyPreset, number, string]>([
    ['low', 55, 'fails'],
    ['medium', 70, 'has bytes to spare'],
  ])('is searched further at %s (%i points), where the setting of the sampled frames %s', async (preset, score) => {
    const path = join(await scratchDirectory('webp'), 'pan.webp')
    await writeFile(path, await panOf({ width: 120, height: 90, frames: 8 }))
    const { result } = await make(path, 'webp', { target: { kind: 'score', score, preset } })
    expect([result.meetsTarget, result.encodes > 1]).toEqual([true, true])
  })

  it('stores a drawing in one palette without further loss where that takes fewer bytes than a lossy file', async () => {
    const { result } = await makePlain('sharp__animated-loop-3.gif', 'webp')
    expect(result.meetsTarget).toBe(true)
    expect(result.bytes).toBeLessThan(4200)
  })

  it('is a source as well', async () => {
    const { result } = await makePlain('sharp__animated-loop-3.gif', 'webp')
    const { result: back } = await make(result.path, 'gif', { neverLarger: false })
    const played = await openAnimation(back.path, { format: 'gif' })
    expect([played.frames, played.delays.at(-1), played.loop]).toEqual([10, 15_000, 3])
  })
})
