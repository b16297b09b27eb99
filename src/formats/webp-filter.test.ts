import { describe, expect, it } from 'vitest'
import { HEADER_SIZES } from '../core/header-sizes.ts'
import type { Raster } from '../core/image.ts'
import { fromPixels, toPixels } from '../raster/raw.ts'
import { type LoopFilter, setLoopFilter } from './webp-filter.ts'

/** Waves with steps: at a low quality the filter changes them. */
const drawn = (): Raster => {
  const data = new Uint8Array(96 * 80 * 3)
  for (let i = 0; i < data.length; i += 1) {
    const [x, y] = [Math.floor(i / 3) % 96, Math.floor(i / 288)]
    data[i] = 128 + 60 * Math.sin((x * (i % 3 ? 3 : 4)) / 11) * Math.cos(y / 7) + (x % 24 < 12 ? 20 : -20)
  }
  return { width: 96, height: 80, channels: 3, data }
}
const encode = (options: object): Promise<Buffer> =>
  fromPixels(drawn())
    .webp({ quality: 30, ...options })
    .toBuffer()

const changedBits = (one: Buffer, other: Buffer): number =>
  one.reduce((sum, byte, at) => sum + (byte ^ other[at]!).toString(2).replaceAll('0', '').length, 0)

describe('the loop filter', () => {
  it('changes no more than the three bits of its sharpness', async () => {
    for (const preset of ['default', 'photo', 'text'] as const) {
      const file = await encode({ preset })
      const bits = ([0, 1, 2, 4, 7] as const).map((sharpness) => setLoopFilter(Buffer.from(file), sharpness))
      expect([1, 2, 3].map((at) => changedBits(bits[0]!, bits[at]!))).toEqual([1, 1, 1])
      expect(changedBits(bits[0]!, bits[4]!)).toBe(3)
      expect(bits.some((bytes) => bytes.equals(file)) || preset === 'photo').toBe(true)
    }
  })

  it('smooths less the higher its sharpness is', async () => {
    const file = await encode({})
    const source = drawn()
    const change = async (sharpness: LoopFilter): Promise<number> => {
      const { data } = await toPixels(setLoopFilter(Buffer.from(file), sharpness))
      const { data: usual } = await toPixels(file)
      return data.reduce((sum, value, at) => sum + Math.abs(value - usual[at]!), 0) / source.data.length
    }
    expect(await change(0)).toBe(0)
    expect(await change(7)).toBeGreaterThan(await change(1))
  })

  it('shows the blocks as they are coded where it is off', async () => {
    for (const preset of ['default', 'photo'] as const) {
      const file = await encode({ preset })
      const { data } = await toPixels(setLoopFilter(Buffer.from(file), 'off'))
      const steps = (samples: Uint8Array): number => {
        let sum = 0
        for (let i = 16 * 3; i < samples.length; i += 16 * 3) sum += Math.abs(samples[i]! - samples[i - 3]!)
        return sum
      }
      expect(steps(data)).toBeGreaterThan(steps((await toPixels(file)).data))
    }
  })

  it('finds the frame behind an alpha channel', async () => {
    const { data, width, height } = drawn()
    const rgba = new Uint8Array(width * height * 4).map((_, i) =>
      i % 4 === 3 ? i % 251 : data[(i >> 2) * 3 + (i % 4)]!,
    )
    const file = await fromPixels({ data: rgba, width, height, channels: 4 }).webp({ quality: 30 }).toBuffer()
    const other = setLoopFilter(Buffer.from(file), 7)
    expect(changedBits(file, other)).toBe(3)
    expect((await toPixels(other)).channels).toBe(4)
  })

  it('leaves a file without loss, and one without a frame, as they are', async () => {
    const file = await encode({ lossless: true })
    expect(setLoopFilter(Buffer.from(file), 7).equals(file)).toBe(true)
    const empty = Buffer.alloc(HEADER_SIZES.riff)
    expect(setLoopFilter(Buffer.from(empty), 7).equals(empty)).toBe(true)
  })
})
