import { describe, expect, it } from 'vitest'
import { deadlineIn } from '../../src/core/deadline.ts'
import type { Raster } from '../../src/core/image.ts'
import { canDenoise, denoise } from '../../src/motion/dither/denoise.ts'
import type { Animation } from '../../src/motion/frames/frames.ts'
import { findFfmpeg } from '../../src/motion/video/ffmpeg.ts'
import { scratchDirectory } from '../scratch.ts'
import { shapeOf } from './request.ts'

const [width, height, count] = [64, 48, 7]

const tone = (x: number, number: number): number => (x < 20 + 4 * number ? 60 : 170)

/** Frames of an edge that moves 4 px a frame, with the same grain each time the test runs. */
const grainy = (): Raster[] => {
  let seed = 1
  const noise = (): number => {
    seed = (seed * 16_807) % 2_147_483_647
    return (seed / 2_147_483_647 - 0.5) * 18
  }
  return Array.from({ length: count }, (_, number) => {
    const data = new Uint8Array(width * height * 4).fill(255)
    for (let i = 0; i < width * height; i++) data.fill(tone(i % width, number) + noise(), i * 4, i * 4 + 3)
    return { width, height, channels: 4, data }
  })
}

const animationOf = (frames: readonly Raster[]): Animation => ({
  extent: { width, height },
  frames: frames.length,
  delays: [],
  loop: 0,
  read: async (from, most) => frames.slice(from, from + most),
})

/** Root of the mean squared distance from the tones without grain. */
const errorOf = ({ data, channels }: Raster, number: number): number => {
  let sum = 0
  for (let i = 0; i < width * height; i++) sum += (data[i * channels]! - tone(i % width, number)) ** 2
  return Math.sqrt(sum / (width * height))
}

const jobIn = async (milliseconds: number) => ({
  ...(await shapeOf('image-gif__moon_impact.gif', 'h264', {})),
  deadline: deadlineIn(milliseconds),
  directory: await scratchDirectory('denoise'),
})

describe('taking the grain out of an animation', () => {
  it('brings every frame of a moving edge at least a fifth nearer to its tones', async () => {
    const { path } = (await findFfmpeg(() => true))!
    const frames = grainy()
    const clear = (await denoise(await jobIn(60_000), animationOf(frames), path))!
    expect(clear.frames).toBe(count)
    const read = [...(await clear.read(0, 5)), ...(await clear.read(5, 32))]
    expect(read).toHaveLength(count)
    for (const [number, frame] of read.entries())
      expect(errorOf(frame, number), String(number)).toBeLessThan(0.8 * errorOf(frames[number]!, number))
  })

  it('returns undefined where the program lacks the filter', async () => {
    expect(await denoise(await jobIn(60_000), animationOf(grainy()), '/bin/false')).toBeUndefined()
  })

  it('returns undefined where frames are lost', async () => {
    const { path } = (await findFfmpeg(() => true))!
    const animation = animationOf(grainy())
    expect(await denoise(await jobIn(60_000), { ...animation, frames: count + 1 }, path)).toBeUndefined()
  })

  it('runs only where a busy machine has the time', async () => {
    expect(canDenoise(await jobIn(60_000))).toEqual({ isSmall: true, inTime: true })
    expect(canDenoise(await jobIn(0))).toEqual({ isSmall: true, inTime: false })
  })
})
