import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { readPngChunks } from '../../src/containers/png.ts'
import type { ResultFile } from '../../src/core/outcome.ts'
import { changedBox, cutHoles, type PixelCells } from '../../src/motion/apng/cells.ts'
import { paletteOf, trueColour } from '../../src/motion/apng/pixel-format.ts'
import { writeApng } from '../../src/motion/apng/write-apng.ts'
import { openAnimation } from '../../src/motion/frames/animation.ts'
import { playedDelays, startTimes } from '../../src/motion/frames/timing.ts'
import { fixture, make } from './request.ts'

const LOSSLESS = { target: { kind: 'lossless' }, neverLarger: false } as const

/** A digest of what shows: colour under full transparency counts as none. */
const digestOf = (rgba: Uint8Array): string => {
  const shown = Uint8Array.from(rgba)
  for (let at = 0; at < shown.length; at += 4) if (shown[at + 3] === 0) shown.fill(0, at, at + 4)
  return createHash('sha1').update(shown).digest('hex')
}

/** The pixels of a file in the middle of each frame of the source: equal frames may have become one. */
const shownAt = async (path: string, format: 'gif' | 'png', times: readonly number[]) => {
  const animation = await openAnimation(path, { format })
  const starts = startTimes(playedDelays(animation.delays, animation.frames))
  const frames = await animation.read(0, animation.frames)
  return times.map((time) => digestOf(frames[starts.findLastIndex((start) => start <= time)]!.data))
}

const middles = async (path: string, format: 'gif' | 'png'): Promise<number[]> => {
  const animation = await openAnimation(path, { format })
  const delays = playedDelays(animation.delays, animation.frames)
  return startTimes(delays).map((start, i) => start + delays[i]! / 2)
}

const headerOf = async ({ path }: ResultFile) => {
  const chunks = [...readPngChunks(await readFile(path))]
  const find = (name: string): Buffer => chunks.find(({ type }) => type === name)!.data
  return { colourType: find('IHDR')[9], frames: find('acTL').readUInt32BE(0), plays: find('acTL').readUInt32BE(4) }
}

describe('an animation as APNG', () => {
  it.each([
    'image__dispose-previous-blend-source.png',
    'image__fcTL-dispose-in-region-none.png',
    'pillow__blend_op_over.png',
    'pillow__delay.png',
    'pillow__dispose_op_background_region.png',
    'sharp__rotating-squares.gif',
    'sharp__animated-loop-3.gif',
    'codeccorpus__border_touching_layers.gif',
    'serenity__animated_transparent_frame_restoreprev_loop.gif',
  ])('%s shows the same pixels at the same times, without loss', async (name) => {
    const format = name.endsWith('.png') ? 'png' : 'gif'
    const { result, facts } = await make(name, 'png', LOSSLESS)
    const times = await middles(fixture(name), format)
    expect(await shownAt(result.path, 'png', times)).toEqual(await shownAt(fixture(name), format, times))
    expect(result).toMatchObject({
      format: 'png',
      score: 100,
      meetsTarget: true,
      width: facts.width,
      height: facts.height,
    })
    expect(await headerOf(result)).toMatchObject({ frames: result.frames, plays: facts.loop })
  })

  it('keeps the duration and the plays', async () => {
    const { result } = await make('sharp__animated-loop-3.gif', 'png', LOSSLESS)
    const [own, source] = await Promise.all([
      openAnimation(result.path, { format: 'png' }),
      openAnimation(fixture('sharp__animated-loop-3.gif'), { format: 'gif' }),
    ])
    const sum = (delays: readonly number[]): number => delays.reduce((all, delay) => all + delay, 0)
    expect([sum(own.delays), own.loop]).toEqual([sum(playedDelays(source.delays, source.frames)), 3])
  })

  it('takes a palette where that reaches the target in fewer bytes', async () => {
    const [lossless, lossy] = await Promise.all([
      make('image-gif__moon_impact.gif', 'png', LOSSLESS),
      make('image-gif__moon_impact.gif', 'png', { neverLarger: false }),
    ])
    expect(lossy.result.bytes).toBeLessThan(lossless.result.bytes)
    expect(lossy.result.score).toBeGreaterThan(70)
    expect((await headerOf(lossy.result)).colourType).toBe(3)
  })

  it('is resized as asked', async () => {
    const resize = { kind: 'box', width: 64, density: 1, method: { kind: 'scale-down' } } as never
    const { result } = await make('pillow__delay.png', 'png', { resize, neverLarger: false })
    expect(result).toMatchObject({ width: 64, height: 32, frames: 4 })
  })
})

describe('what changes between frames', () => {
  const size = { width: 4, height: 3 }
  const frame = (...cells: readonly number[]): PixelCells => Uint32Array.from(cells)

  it('is the smallest rectangle', () => {
    const before = frame(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
    expect(changedBox(before, frame(1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 2, 1), size)).toEqual({
      left: 1,
      top: 1,
      width: 2,
      height: 2,
    })
    expect(changedBox(before, before, size)).toBeUndefined()
  })

  it('has holes where nothing changes, unless something becomes transparent', () => {
    const box = { left: 0, top: 0, width: 3, height: 1 }
    const cut = { width: 3, box, hole: 9, isOpaque: (cell: number) => cell !== 0 }
    expect([...cutHoles(frame(1, 1, 1), frame(2, 1, 3), cut)!]).toEqual([2, 9, 3])
    expect(cutHoles(frame(1, 1, 1), frame(2, 1, 0), cut)).toBeUndefined()
  })
})

describe('pixel formats', () => {
  it('an opaque animation is RGB with an unused colour for what stays', () => {
    const format = trueColour(Uint32Array.of(0xff000000, 0xff000001))
    expect(format).toMatchObject({ colourType: 2, hole: 2 })
    expect(format.chunks[0]!.toString('latin1', 4, 8)).toBe('tRNS')
  })

  it('one with transparency is RGBA', () => {
    expect(trueColour(Uint32Array.of(0xff000000, 0x7f000001))).toMatchObject({ colourType: 6, hole: 0 })
  })

  it.each([
    [2, 2],
    [3, 2],
    [4, 4],
    [15, 4],
    [16, 8],
    [255, 8],
    [256, 8],
  ])('%i opaque colours take %i bits with the hole', (colours, depth) => {
    const table = Uint8Array.from({ length: colours * 4 }, (_, at) => (at % 4 === 3 ? 255 : at))
    expect(paletteOf(table)).toMatchObject({ depth, colourType: 3 })
    expect(paletteOf(table).hole).toBe(colours === 256 ? undefined : colours)
  })

  it('delays beyond a minute are kept to a hundredth', () => {
    const cells = Uint8Array.of(0, 1)
    const { bytes } = writeApng(
      { width: 1, height: 1, cells, delays: [100_010, 33], plays: 0 },
      paletteOf(Uint8Array.of(0, 0, 0, 255, 9, 9, 9, 255)),
    )!
    const controls = [...readPngChunks(bytes)]
      .filter(({ type }) => type === 'fcTL')
      .map(({ data }) => [data.readUInt16BE(20), data.readUInt16BE(22)])
    expect(controls).toEqual([
      [10_001, 100],
      [33, 1000],
    ])
  })
})
