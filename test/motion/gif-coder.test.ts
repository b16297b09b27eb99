import { execFile } from 'node:child_process'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { countColours, type Histogram } from '../../src/formats/palette/histogram.ts'
import { framesOf, openAnimation } from '../../src/motion/frames/animation.ts'
import { lookSame, playSame } from '../../src/motion/frames/same-frames.ts'
import { COORDINATES, LOSSLESS, type Loss } from '../../src/motion/gif/coder/frame.ts'
import { exactPalettes, type FramePalettes, sharedPalettes } from '../../src/motion/gif/coder/frame-palettes.ts'
import { pointsOf } from '../../src/motion/gif/coder/palette.ts'
import { errorWeights } from '../../src/motion/gif/coder/visibility.ts'
import { gifFrameOf, gifHeadOf } from '../../src/motion/gif/coder/write-animation.ts'
import { GIF_TRAILER } from '../../src/motion/gif/write-gif.ts'
import { findFfmpeg } from '../../src/motion/video/ffmpeg.ts'
import { scratchDirectory } from '../scratch.ts'
import { codeAnimation } from './code-animation.ts'
import { fixture, make } from './request.ts'

const GIFS = (await readdir(fixture(''))).filter((name) => name.endsWith('.gif'))

interface Frames {
  readonly width: number
  readonly height: number
  /** RGBA, one below the other. */
  readonly data: Uint8Array
  readonly delays: readonly number[]
  readonly loop: number
}

interface Coded {
  readonly path: string
  readonly bytes: number
  /** The canvas that the coder reports, RGBA a frame. */
  readonly shown: readonly Buffer[]
  readonly histogram: Histogram
}

const code = async (
  { width, height, data, delays, loop }: Frames,
  loss: Loss,
  choose: (histogram: Histogram) => FramePalettes = (histogram) => exactPalettes(histogram, delays.length)!,
): Promise<Coded> => {
  const frames = delays.length
  const histogram = countColours({ width, height: height * frames, channels: 4, data })
  const palettes = choose(histogram)
  const animation = { width, height, frames, colours: histogram.colours, entries: histogram.entries }
  const parts = [gifHeadOf({ width, height, loop }, palettes.shared)]
  const shown: Buffer[] = []
  for (const frame of codeAnimation(animation, { paletteOf: palettes.of, lossOf: () => loss })) {
    parts.push(gifFrameOf(frame, palettes.shared, delays[shown.length]!))
    shown.push(Buffer.from(frame.shown.data))
  }
  const path = join(await scratchDirectory('coded'), 'coded.gif')
  const bytes = Buffer.concat([...parts, GIF_TRAILER])
  await writeFile(path, bytes)
  return { path, bytes: bytes.length, shown, histogram }
}

const read = async (path: string): Promise<Frames> => {
  const animation = await openAnimation(path, { format: 'gif' })
  const frames: Uint8Array[] = []
  for await (const { data } of framesOf(animation)) frames.push(data)
  return { ...animation.extent, data: Buffer.concat(frames), delays: animation.delays, loop: animation.loop }
}

/** RGBA frames as ffmpeg decodes them. */
const readByFfmpeg = async (path: string): Promise<Buffer> => {
  const { path: command } = (await findFfmpeg(() => true))!
  const input = ['-nostdin', '-loglevel', 'error', '-ignore_loop', '1', '-i', path]
  const output = ['-vsync', '0', '-f', 'rawvideo', '-pix_fmt', 'rgba', '-']
  const { stdout } = await promisify(execFile)(command, [...input, ...output], { encoding: 'buffer', maxBuffer: 1e8 })
  return stdout
}

/** Colours under full transparency count for nothing. */
const visible = (data: Uint8Array): Buffer => {
  const seen = Buffer.from(data)
  for (let at = 0; at < seen.length; at += 4) if (seen[at + 3] === 0) seen.fill(0, at, at + 4)
  return seen
}

const NEAR: Loss = { perBit: 2, most: 32 }

it.each(GIFS)('%s: decoders show what the coder says, and without loss that is the source', async (name) => {
  const source = await read(fixture(name))
  const exact = await code(source, LOSSLESS)
  const [before, after] = [fixture(name), exact.path].map((path) => openAnimation(path, { format: 'gif' }))
  expect(playSame(await before!, await after!)).toBe(true)
  expect(await lookSame(await before!, await after!)).toBe(true)
  const lossy = await code(source, NEAR)
  const shown = visible(Buffer.concat(lossy.shown))
  expect(visible((await read(lossy.path)).data).equals(shown)).toBe(true)
  expect(visible(await readByFfmpeg(lossy.path)).equals(shown)).toBe(true)
  // Where nothing is near enough to be lost, dictionaries that are begun again elsewhere make a byte more or less.
  expect(lossy.bytes).toBeLessThan(exact.bytes * 1.01 + 1)
})

/** Numbers that look random, the same each time. */
const noise = (seed: number) => (at: number) => {
  let value = Math.imul(at + 1, 0x9e3779b1) ^ Math.imul(seed + 1, 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d)
  return (value ^ (value >>> 13)) >>> 0
}

interface Odd {
  readonly width: number
  readonly height: number
  readonly frames: number
  /** RGB of a pixel of a frame; undefined where it is transparent. */
  readonly colour: (pixel: number, frame: number) => number | undefined
}

const draw = ({ width, height, frames, colour }: Odd): Frames => {
  const data = Buffer.alloc(width * height * frames * 4)
  for (let at = 0; at < width * height * frames; at += 1) {
    const rgb = colour(at % (width * height), Math.floor(at / (width * height)))
    if (rgb !== undefined) data.writeUInt32BE(((rgb << 8) | 0xff) >>> 0, at * 4)
  }
  return { width, height, data, delays: Array.from({ length: frames }, (_, i) => i * 30), loop: 2 }
}

const ODD: readonly (readonly [name: string, odd: Odd])[] = [
  ['a single pixel', { width: 1, height: 1, frames: 3, colour: (_, frame) => frame * 0x40 }],
  ['one row', { width: 300, height: 1, frames: 2, colour: (pixel, frame) => (pixel + frame) % 7 }],
  ['one column', { width: 1, height: 300, frames: 2, colour: (pixel) => pixel % 251 }],
  ['nothing at all', { width: 9, height: 9, frames: 3, colour: () => undefined }],
  ['frames that repeat', { width: 20, height: 20, frames: 4, colour: (pixel) => pixel % 3 }],
  ['what vanishes', { width: 9, height: 7, frames: 4, colour: (p, f) => (noise(f)(p) % 3 === 0 ? undefined : p % 5) }],
  ['noise of 255 colours', { width: 110, height: 90, frames: 2, colour: (p, f) => (noise(f)(p) % 255) * 0x10101 }],
  ['other colours in each frame', { width: 20, height: 20, frames: 3, colour: (p, f) => (p % 200) | (f << 16) }],
  ['one colour, long', { width: 2000, height: 10, frames: 2, colour: () => 0x123456 }],
]

it.each(ODD)('%s is coded as it is', async (_, odd) => {
  const frames = draw(odd)
  const { path } = await code(frames, LOSSLESS)
  const decoded = await read(path)
  expect([decoded.width, decoded.height, decoded.loop]).toEqual([frames.width, frames.height, 2])
  expect(decoded.delays).toEqual(frames.delays)
  expect(visible(decoded.data).equals(Buffer.from(frames.data))).toBe(true)
  expect(visible(await readByFfmpeg(path)).equals(Buffer.from(frames.data))).toBe(true)
})

it.each(ODD)('%s is shown as the coder says with losses, and transparent where it was', async (_, odd) => {
  const frames = draw(odd)
  const { path, shown } = await code(frames, NEAR)
  const decoded = visible((await read(path)).data)
  expect(decoded.equals(visible(Buffer.concat(shown)))).toBe(true)
  const alphas = (data: Uint8Array): Uint8Array => data.filter((_, at) => at % 4 === 3)
  expect(alphas(decoded)).toEqual(alphas(frames.data))
})

it('frames of more colours than a palette has come out in the nearest ones', async () => {
  const frames = draw({ width: 64, height: 64, frames: 2, colour: (pixel, frame) => (pixel << 4) + frame })
  const { path, shown } = await code(frames, NEAR, (histogram) => {
    expect(exactPalettes(histogram, 2)).toBeUndefined()
    return sharedPalettes(histogram, [64])[0]!()
  })
  const { data } = await read(path)
  expect(visible(data).equals(visible(Buffer.concat(shown)))).toBe(true)
  expect(countColours({ width: 64, height: 128, channels: 4, data }).counts.length).toBeLessThanOrEqual(64)
})

it('the more may be lost the fewer bytes it takes', async () => {
  const source = await read(fixture('image-gif__moon_impact.gif'))
  const bytes: number[] = []
  for (const perBit of [0, 1, 4]) bytes.push((await code(source, { perBit, most: perBit * 16 })).bytes)
  expect(bytes).toEqual(bytes.toSorted((a, b) => b - a))
  expect(bytes[2]!).toBeLessThan(bytes[0]! / 4)
})

it('errors count for less in texture than in plain places, and for more at the rims of these', () => {
  const [width, height] = [60, 20]
  const colours = Buffer.alloc(width * height * 4, 255)
  for (let at = 0; at < width * height; at += 1)
    if (at % width >= 30) colours.fill(noise(1)(at) % 256, at * 4, at * 4 + 3)
  const lumas = pointsOf(colours).filter((_, at) => at % COORDINATES === 0)
  const weights = errorWeights(lumas, { width, height })
  const at = (x: number): number => weights[10 * width + x]!
  expect(at(10)).toBe(at(28))
  expect(at(45)).toBeLessThan(at(10) / 5)
  expect(at(31)).toBeGreaterThan(at(45))
})

it('a pixel that keeps its colour for many frames has a smaller error than one that changes in each', () => {
  const [width, height, frames] = [60, 40, 16]
  const isKept = (at: number): boolean => at % width < width / 2
  const colour = (at: number, frame: number): number => noise(isKept(at) ? 0 : frame)(at) % 200
  const data = draw({ width, height, frames, colour: (at, frame) => colour(at, frame) * 0x10101 }).data
  const histogram = countColours({ width, height: height * frames, channels: 4, data })
  const animation = { width, height, frames, colours: histogram.colours, entries: histogram.entries }
  const coding = { paletteOf: exactPalettes(histogram, frames)!.of, lossOf: () => ({ perBit: 20, most: 320 }) }
  const [first] = Array.from(codeAnimation(animation, coding), ({ shown }) => shown.data.slice())
  const errors = { kept: 0, changing: 0 }
  for (let at = 0; at < width * height; at += 1)
    errors[isKept(at) ? 'kept' : 'changing'] += (first![at * 4]! - colour(at, 0)) ** 2
  expect(errors.kept).toBeLessThan(errors.changing / 2)
})

it('stops within a frame when time is up', () => {
  const [width, height] = [400, 400]
  const data = new Uint8Array(width * height * 4).fill(255)
  const histogram = countColours({ width, height, channels: 4, data })
  const animation = { width, height, frames: 1, colours: histogram.colours, entries: histogram.entries }
  let asked = 0
  const isTimeUp = (): boolean => {
    asked += 1
    return asked === 3
  }
  const coding = { paletteOf: exactPalettes(histogram, 1)!.of, lossOf: () => LOSSLESS }
  expect([...codeAnimation(animation, { ...coding, isTimeUp })]).toEqual([])
  expect(asked).toBe(3)
  expect([...codeAnimation(animation, coding)]).toHaveLength(1)
})

it('makes a WebP smaller whose frames are stored without loss of its own', async () => {
  const source = fixture('sharp__animated-loop-3.gif')
  const [coded, exact] = await Promise.all([
    make('sharp__animated-loop-3.gif', 'webp'),
    make('sharp__animated-loop-3.gif', 'webp', { target: { kind: 'lossless' } }),
  ])
  expect(coded.result.bytes).toBeLessThan(0.9 * exact.result.bytes)
  expect(coded.result.meetsTarget).toBe(true)
  const [shown, wanted] = await Promise.all([
    openAnimation(coded.result.path, { format: 'webp' }),
    openAnimation(source, { format: 'gif' }),
  ])
  expect(playSame(shown, wanted)).toBe(true)
})
