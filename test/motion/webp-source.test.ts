import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Raster } from '../../src/core/image.ts'
import { openAnimation } from '../../src/motion/frames/animation.ts'
import { lookSame } from '../../src/motion/frames/same-frames.ts'
import { identify } from '../../src/source/identify.ts'
import { run } from '../engine/run.ts'
import { make } from './request.ts'
import { animatedWebp, plain } from './webp-file.ts'

const RED = [255, 0, 0, 255] as const
const GREEN = [0, 255, 0, 255] as const
const CLEAR = [0, 0, 0, 0] as const

/** A green square that comes and leaves a hole, a veil over a corner, and a hole that is cut into another. */
const drawing = (metadata?: Buffer): Promise<Buffer> =>
  animatedWebp(
    { width: 32, height: 24 },
    3,
    [
      { image: plain(32, 24, RED), delay: 100 },
      { image: plain(8, 8, GREEN), left: 4, top: 4, delay: 250, clears: true },
      { image: plain(4, 4, [0, 0, 255, 128]), delay: 70 },
      { image: plain(6, 6, CLEAR), left: 20, top: 10, delay: 1000, replaces: true },
    ],
    metadata,
  )

let directory: string
let path: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'webp-source-'))
  path = join(directory, 'source.webp')
  await writeFile(path, await drawing())
})
afterAll(() => rm(directory, { recursive: true }))

const at = ({ width, data }: Raster, x: number, y: number): number[] => [
  ...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4),
]

describe('an animated WebP as a source', () => {
  it('is identified by its header', async () =>
    expect(await identify(path)).toMatchObject({
      format: 'webp',
      width: 32,
      height: 24,
      frames: 4,
      loop: 3,
      alpha: true,
    }))

  it('has the frames that a browser shows: laid over or in place, and cleared', async () => {
    const { extent, frames, delays, loop, read } = await openAnimation(path, { format: 'webp' })
    expect([extent, frames, delays, loop]).toEqual([{ width: 32, height: 24 }, 4, [100, 250, 70, 1000], 3])
    const [first, second, third, fourth] = await read(0, 4)
    expect([at(first!, 5, 5), at(second!, 5, 5), at(second!, 0, 0)]).toEqual([[...RED], [...GREEN], [...RED]])
    expect(at(third!, 5, 5)[3]).toBe(0)
    const [red = 0, , blue = 0] = at(third!, 1, 1)
    expect([Math.abs(red - 127) < 3, Math.abs(blue - 128) < 3]).toEqual([true, true])
    expect([at(fourth!, 22, 12)[3], at(fourth!, 30, 20)]).toEqual([0, [...RED]])
  })

  it.each([
    ['gif', [100, 250, 70, 1000]],
    ['webp', [100, 250, 70, 1000]],
  ] as const)('becomes %s with its times and plays', async (format, delays) => {
    const { result } = await make(path, format, { neverLarger: false })
    const played = await openAnimation(result.path, { format })
    expect([played.delays, played.loop, played.extent]).toEqual([delays, 3, { width: 32, height: 24 }])
  })

  it('keeps every pixel without loss', async () => {
    const { result } = await make(path, 'webp', { target: { kind: 'lossless' } })
    const [source, played] = await Promise.all(
      [path, result.path].map((file) => openAnimation(file, { format: 'webp' })),
    )
    expect(await lookSame(source!, played!)).toBe(true)
  })

  it('gives its first frame to formats that do not move', async () => {
    const { bytes, format } = await run(await drawing(), { options: 'full,format=png' })
    const { data, info } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
    expect([format, info.width, info.height, [...data.subarray(0, 4)]]).toEqual(['png', 32, 24, [...RED]])
  })

  it('becomes GIF without Accept, as a Warning says; WebP where that is accepted', async () => {
    const source = await drawing()
    const [gif, webp] = await Promise.all([run(source), run(source, { webp: true })])
    expect([gif.format, webp.format]).toEqual(['gif', 'webp'])
    expect(gif.result.warnings.concat(gif.plan.warnings).join(' ')).toContain('becomes GIF')
    expect(webp.plan.warnings).toEqual([])
  })
})

/** Noise: its bytes at a low quality grow at a higher one. */
const noise = (seed: number): Raster<4> => ({
  width: 96,
  height: 64,
  channels: 4,
  data: Uint8Array.from({ length: 96 * 64 * 4 }, (_, i) =>
    i % 4 === 3 ? 255 : Math.round(128 + 90 * Math.sin((i + seed) * 12.9898 + Math.floor(i / 384) * 78.233)),
  ),
})

describe('a WebP that was made small already', () => {
  const coarse = (metadata?: Buffer) =>
    animatedWebp(
      { width: 96, height: 64 },
      0,
      [1, 2, 3].map((seed) => ({ image: noise(seed), delay: 100, quality: 1 })),
      metadata,
    )

  it.each([
    ['accepted', { webp: true }],
    ['asked for', { options: 'full,format=webp' }],
    ['asked for at high quality', { options: 'full,format=webp,quality=high' }],
  ])('never grows: it goes back, without its metadata (%s)', async (_, request) => {
    const bare = await coarse()
    const { result, bytes } = await run(await coarse(Buffer.from('<x:xmpmeta>somebody</x:xmpmeta>')), request)
    expect([result.untouched, result.format, result.frames]).toEqual([true, 'webp', 3])
    expect(bytes.length).toBeLessThanOrEqual(bare.length)
    expect(Buffer.from(bytes).includes('somebody')).toBe(false)
    expect(await sharp(bytes, { animated: true }).metadata()).toMatchObject({ pages: 3 })
  })

  it('still, it goes back too', async () => {
    const { width, height, data } = noise(4)
    const source = await sharp(data, { raw: { width, height, channels: 4 } })
      .webp({ quality: 1 })
      .toBuffer()
    const { result, bytes } = await run(source, { webp: true })
    expect([result.untouched, result.format, result.score]).toEqual([true, 'webp', 100])
    expect(Buffer.from(bytes).equals(source)).toBe(true)
  })

  it('is encoded again, upright, when its Orientation tag turns it', async () => {
    const { width, height, data } = noise(4)
    const source = await sharp(data, { raw: { width, height, channels: 4 } })
      .withMetadata({ orientation: 6 })
      .webp({ quality: 1 })
      .toBuffer()
    const { result } = await run(source, { webp: true })
    expect([result.untouched, result.width, result.height]).toEqual([undefined, 64, 96])
  })

  it('resized, it is not its own bytes', async () => {
    const { result } = await run(await coarse(), { webp: true, options: '48' })
    expect([result.untouched, result.width]).toEqual([undefined, 48])
  })
})
