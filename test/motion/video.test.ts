import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { deadlineIn } from '../../src/core/deadline.ts'
import { cssPx } from '../../src/core/units.ts'
import { openSsimulacra2 } from '../../src/metric/ssimulacra2/ssimulacra2.ts'
import { openAnimation } from '../../src/motion/frames/animation.ts'
import { OUT_OF_YUV, toEven } from '../../src/motion/frames/raw-frames.ts'
import { findFfmpeg } from '../../src/motion/video/ffmpeg.ts'
import { flatten } from '../../src/raster/flatten.ts'
import { scratchDirectory } from '../scratch.ts'
import { readVideo } from './read-video.ts'
import { fixture, make, makePlain, shapeOf } from './request.ts'

const FORMATS = ['h264', 'webm'] as const

describe.each(FORMATS)('an animation as %s', (format) => {
  it.each([
    ['sharp__animated-loop-3.gif', [0, 3000, 6000, 9000, 12_000, 15_000, 18_000, 21_000, 24_000, 27_000], 42_000],
    ['libgd__delay_0.gif', [0, 100], 200],
    ['libgd__delay_10ms.gif', [0, 100], 200],
    ['image-gif__anim-gr.gif', [0, 100], 100_100],
    ['fastimage__animated_without_gct.gif', [0, 1920, 4020], 6660],
  ])('shows the frames of %s when the source does', async (name, starts, durationMs) => {
    const { result } = await makePlain(name, format)
    const video = await readVideo(result.path)
    expect(video.starts.map(Math.round)).toEqual(starts)
    expect(video.durationMs).toBeCloseTo(durationMs, 3)
    expect(result.durationMs).toBe(durationMs)
  })

  it('has even sides: 859x478 loses a column', async () => {
    const { result } = await makePlain('fastimage__animated_without_gct.gif', format)
    expect(await readVideo(result.path)).toMatchObject({ width: 858, height: 478 })
    expect(result).toMatchObject({ width: 858, height: 478 })
  })

  it('doubles a side of one pixel', async () => {
    const resize = { kind: 'box', width: cssPx(1), height: cssPx(1), density: 1, method: { kind: 'pad' } } as const
    const { result } = await make('libgd__dispose_none.gif', format, { resize })
    expect(await readVideo(result.path)).toMatchObject({ width: 2, height: 2 })
  })

  it('is scaled down to what players decode, with a Warning', async () => {
    const resize = {
      kind: 'box',
      width: cssPx(9000),
      height: cssPx(9000),
      density: 1,
      method: { kind: 'fit' },
    } as const
    const { transform, warnings } = await shapeOf('libgd__dispose_none.gif', format, { resize })
    const { width, height } = transform.geometry.output
    expect(Math.max(width, height)).toBeLessThanOrEqual(4096)
    expect(width * height).toBeLessThanOrEqual(8_388_608)
    expect(warnings.join()).toMatch(/scaled down/)
  })

  it('leaves the Warning about a larger result to the engine, which adds the mark', async () => {
    const { result, facts } = await makePlain('libgd__dispose_none.gif', format)
    expect(result.bytes).toBeGreaterThan(facts.bytes)
    expect(result.warnings.join()).not.toMatch(/larger than/)
  })

  it('returns how often the source plays', async () => {
    expect((await makePlain('sharp__animated-loop-3.gif', format)).result.loopCount).toBe(3)
  })

  it('fails with WORK_TOO_SLOW when there is no time at all', async () => {
    await expect(make('sharp__animated-loop-3.gif', format, { deadline: deadlineIn(0) })).rejects.toMatchObject({
      code: 'WORK_TOO_SLOW',
    })
  })

  it('leaves no ffmpeg running when time is up half-way', async () => {
    const resize = { kind: 'box', width: cssPx(3000), density: 1, method: { kind: 'fit' } } as const
    await make('sharp__rotating-squares.gif', format, { resize, deadline: deadlineIn(1500) }).catch(() => undefined)
    const children = await readFile(`/proc/self/task/${process.pid}/children`, 'utf8')
    for (const pid of children.split(' ').filter(Boolean)) {
      expect(await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).not.toMatch(/ffmpeg/)
    }
  })
})

it('an H.264 file does not hold the settings that x264 describes itself by', async () => {
  const { result } = await makePlain('sharp__animated-loop-3.gif', 'h264')
  expect((await readFile(result.path)).includes('x264')).toBe(false)
})

/** The found ffmpeg without the bitstream filter `filter_units`, which ffmpeg has from 4.1 on. */
const ffmpegWithoutFilterUnits = async (): Promise<string> => {
  const { path: real } = (await findFfmpeg(({ encoders }) => encoders.has('libx264')))!
  const path = join(await scratchDirectory('old'), 'ffmpeg')
  const script = `#!/bin/sh
case "$*" in
  *-bsfs) "${real}" "$@" | grep -v filter_units ;;
  *filter_units*) echo "Unknown bitstream filter filter_units" >&2; exit 1 ;;
  *) exec "${real}" "$@" ;;
esac
`
  await writeFile(path, script, { mode: 0o755 })
  return path
}

it('an ffmpeg without the bitstream filter filter_units encodes H.264', async () => {
  const { result } = await make('libgd__dispose_none.gif', 'h264', { ffmpegPath: await ffmpegWithoutFilterUnits() })
  expect((await readFile(result.path)).includes('x264')).toBe(true)
})

/** A program that lists encoders as ffmpeg does, and never ends an encode. */
const endlessFfmpeg = async (): Promise<string> => {
  const path = join(await scratchDirectory('endless'), 'ffmpeg')
  const script =
    '#!/bin/sh\ncase "$*" in *-encoders) echo " V..... libx264" ;; *-muxers | *-bsfs | -version) ;; *) exec sleep 60 ;; esac\n'
  await writeFile(path, script, { mode: 0o755 })
  return path
}

it('a video whose encode is killed for want of time fails for want of time, not as a failure of ffmpeg', async () => {
  // The time that is left ends a little before the signal says so.
  const deadline = { remaining: () => 50, signal: AbortSignal.timeout(500) }
  const request = { ffmpegPath: await endlessFfmpeg(), deadline }
  await expect(make('sharp__animated-loop-3.gif', 'h264', request)).rejects.toMatchObject({ code: 'WORK_TOO_SLOW' })
})

/** A ramp that moves, in eight greys whose errors an ordered pattern of 2 x 2 px spreads, in squares that flicker: written without loss. */
const ditheredGif = async (): Promise<string> => {
  const [width, height, pages] = [160, 120, 6]
  const data = Buffer.alloc(width * height * pages * 3)
  const pattern = [0.125, 0.625, 0.875, 0.375]
  for (let i = 0; i < width * height * pages; i++) {
    const [x, y, page] = [i % width, Math.floor(i / width) % height, Math.floor(i / (width * height))]
    const wanted = (20 + x + 0.4 * y + 6 * page) / 32
    data.fill(Math.min(224, 32 * Math.floor(wanted + pattern[((y + page) % 2) * 2 + (x % 2)]!)), i * 3, i * 3 + 3)
  }
  const path = join(await scratchDirectory('dithered'), 'dithered.gif')
  await sharp(data, { raw: { width, height: height * pages, channels: 3, pageHeight: height } })
    .gif({ dither: 0 })
    .toFile(path)
  return path
}

describe('video of a dithered GIF', () => {
  it('is held to its frames without the dither, says so, and is smaller for it', async () => {
    const path = await ditheredGif()
    const { result, facts } = await make(path, 'h264')
    expect(result.warnings.join()).toMatch(/dithered/)
    expect([result.meetsTarget, result.score! < 70]).toEqual([true, true])
    // The same animation again as animated WebP without loss is no GIF, so nothing is taken out of it.
    const plain = join(dirname(path), 'plain.webp')
    await sharp(path, { animated: true }).webp({ lossless: true }).toFile(plain)
    const kept = await make(plain, 'h264')
    expect(kept.result.warnings.join()).not.toMatch(/dithered/)
    expect(result.bytes).toBeLessThan(kept.result.bytes / 2)
    expect(result.bytes).toBeLessThan(facts.bytes)
  })

  it('leaves drawings alone', async () => {
    expect((await makePlain('sharp__rotating-squares.gif', 'h264')).result.warnings.join()).not.toMatch(/dithered/)
  })
})

/** Yellow letters of one px on navy, which halved chroma turns tan; three frames that move. */
const colouredLinesGif = async (colour: string): Promise<string> => {
  const frame = (shift: number): Buffer => {
    const lines = Array.from(
      { length: 30 },
      (_, i) => `<rect x="${10 + shift}" y="${6 + 4 * i}" width="120" height="1" fill="${colour}"/>`,
    )
    return Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="160" height="130"><rect width="160" height="130" fill="#014"/>${lines.join('')}</svg>`,
    )
  }
  const frames = await Promise.all([0, 8, 16].map((shift) => sharp(frame(shift)).removeAlpha().raw().toBuffer()))
  const path = join(await scratchDirectory('lines'), 'lines.gif')
  await sharp(Buffer.concat(frames), { raw: { width: 160, height: 390, channels: 3, pageHeight: 130 } })
    .gif({ dither: 0 })
    .toFile(path)
  return path
}

/** Pixels of two colours by chance, new in each frame: GIF takes one bit for each, which no video can. */
const randomGif = async (): Promise<string> => {
  const [width, height, pages] = [128, 96, 8]
  const data = Buffer.alloc(width * height * pages * 3)
  let state = 1
  for (let i = 0; i < width * height * pages; i++) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    data.set(state > 1_073_741_824 ? [250, 240, 60] : [10, 30, 120], i * 3)
  }
  const path = join(await scratchDirectory('random'), 'random.gif')
  await sharp(data, { raw: { width, height: height * pages, channels: 3, pageHeight: height } })
    .gif({ dither: 0 })
    .toFile(path)
  return path
}

describe('video of a source above 10 KB', () => {
  it.each(FORMATS)('is smaller than the source as %s, at the cost of its target, and says so', async (format) => {
    const { result, facts } = await make(await randomGif(), format)
    expect(facts.bytes).toBeGreaterThan(10_000)
    expect(result.bytes).toBeLessThan(facts.bytes)
    expect(result.meetsTarget).toBe(false)
    expect(result.warnings.join()).toMatch(/is not smaller than the source: .* \(SSIMULACRA -?\d+\.\d for 70\)/)
  })
})

/** All frames of a video as RGB, one after the other. */
const decodeAll = async (path: string): Promise<Buffer> => {
  const found = await findFfmpeg(({ encoders }) => encoders.has('libx264'))
  const args = [
    '-loglevel',
    'error',
    '-i',
    path,
    '-vf',
    OUT_OF_YUV,
    '-vsync',
    '0',
    '-f',
    'rawvideo',
    '-pix_fmt',
    'rgb24',
  ]
  const { stdout } = await promisify(execFile)(found!.path, [...args, 'pipe:1'], { encoding: 'buffer', maxBuffer: 1e8 })
  return stdout
}

it('the score of a short video is the mean of all its frames', async () => {
  const { result } = await makePlain('sharp__animated-loop-3.gif', 'h264')
  const source = await openAnimation(fixture('sharp__animated-loop-3.gif'), { format: 'gif' })
  const frames = await source.read(0, source.frames)
  const size = { width: result.width, height: result.height }
  const bytes = size.width * size.height * 3
  const decoded = await decodeAll(result.path)
  const metric = await openSsimulacra2()
  const scores = frames.map((frame, i) => {
    const data = toEven(flatten(frame, { r: 255, g: 255, b: 255 }), size)
    using reference = metric.prepare({ ...size, channels: 3, data })
    return reference.compare({ ...size, channels: 3, data: decoded.subarray(i * bytes, (i + 1) * bytes) })
  })
  expect(result.score).toBeCloseTo(scores.reduce((sum, score) => sum + score, 0) / frames.length, 2)
})

describe('video of thin coloured lines', () => {
  it('says that colour of small areas breaks the bound of the preset, and by how much', async () => {
    const { result } = await make(await colouredLinesGif('#fe0'), 'h264')
    expect(result.warnings.join()).toMatch(/Colour of small areas is off by \d+\.\d where quality=medium allows 4/)
  })

  it('says nothing of colour where lines are grey', async () => {
    const { result } = await make(await colouredLinesGif('#889'), 'h264')
    expect(result.warnings.join()).not.toMatch(/Colour of small areas/)
  })
})

describe('MP4', () => {
  it('has its index before its data, and no time at which it was made', async () => {
    const { result } = await makePlain('sharp__animated-loop-3.gif', 'h264')
    const bytes = await readFile(result.path)
    expect(bytes.indexOf('moov')).toBeLessThan(bytes.indexOf('mdat'))
    expect(bytes.indexOf('moov')).toBeGreaterThan(0)
    // Type, version and flags, then both times: equal work gives equal bytes, whenever it is done.
    for (const box of ['mvhd', 'tkhd', 'mdhd'])
      expect(bytes.subarray(bytes.indexOf(box) + 8).readBigUInt64BE()).toBe(0n)
  })
})

describe('ffmpeg', () => {
  it('is found from npm alone', async () => {
    const found = await findFfmpeg(({ encoders }) => encoders.has('libx264') && encoders.has('libvpx-vp9'))
    expect(found?.path).toMatch(/ffmpeg/)
  })

  it('passes over a program that is not one', async () => {
    const found = await findFfmpeg(({ encoders }) => encoders.has('libx264'), '/bin/true')
    expect(found?.path).not.toBe('/bin/true')
  })
})
