import { describe, expect, it } from 'vitest'
import type { Raster } from '../../core/image.ts'
import { undither } from './undither.ts'

const [width, height] = [96, 64]

const draw = (tone: (x: number, y: number) => readonly [number, number, number]): Raster => {
  const data = new Uint8Array(width * height * 3)
  for (let i = 0; i < width * height; i++) data.set(tone(i % width, Math.floor(i / width)), i * 3)
  return { width, height, channels: 3, data }
}

const ramp = (x: number, y: number): number => 40 + x + y

/** The ramp in steps of 32, its errors diffused after Floyd and Steinberg. */
const diffused = (): Raster => {
  const errors = new Float32Array((width + 2) * (height + 1))
  const shown = new Uint8Array(width * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * (width + 2) + x + 1
      const wanted = ramp(x, y) + errors[at]!
      const tone = Math.max(0, Math.min(224, Math.round(wanted / 32) * 32))
      shown[y * width + x] = tone
      for (const [place, part] of [
        [at + 1, 7],
        [at + width + 1, 3],
        [at + width + 2, 5],
        [at + width + 3, 1],
      ] as const)
        errors[place]! += ((wanted - tone) * part) / 16
    }
  }
  return draw((x, y) => [shown[y * width + x]!, shown[y * width + x]!, shown[y * width + x]!])
}

/** The ramp in steps of 32 by an ordered pattern of 2 x 2. */
const ordered = (): Raster =>
  draw((x, y) => {
    const tone = Math.floor(ramp(x, y) / 32 + [0.125, 0.625, 0.875, 0.375][(y % 2) * 2 + (x % 2)]!) * 32
    return [tone, tone, tone]
  })

const errorOf = ({ data }: Raster): number => {
  let sum = 0
  for (let i = 0; i < width * height; i++) sum += (data[i * 3]! - ramp(i % width, Math.floor(i / width))) ** 2
  return Math.sqrt(sum / (width * height))
}

describe('taking the dither out of a frame', () => {
  it.each([
    ['diffused errors', diffused()],
    ['an ordered pattern', ordered()],
  ])('brings %s to less than half as far from the tones that they stand for', (_, frame) => {
    const { frame: smooth, dithered } = undither(frame)
    expect(errorOf(smooth)).toBeLessThan(errorOf(frame) / 2)
    expect(dithered).toBeGreaterThan(0.5)
  })

  it.each([
    [
      'a drawing of lines, letters of one pixel and flat colours',
      draw((x, y) => (x % 12 === 3 || y % 9 === 4 ? [200, 0, 0] : [250, 250, 240])),
    ],
    ['steps of a ramp', draw((x) => [x & ~7, x & ~7, x & ~7])],
    ['a chessboard of black and white', draw((x, y) => ((x + y) % 2 === 0 ? [0, 0, 0] : [255, 255, 255]))],
    ['a few specks', draw((x, y) => (x % 16 === 5 && y % 16 === 7 ? [120, 120, 120] : [100, 100, 100]))],
    ['more colours than a palette has', draw((x, y) => [(x * 7 + y * 3) % 256, (x * 5) % 256, (y * 11) % 256])],
  ])('leaves %s as it is', (_, frame) => {
    expect(undither(frame)).toEqual({ frame, dithered: 0 })
  })

  it('takes out dots that are sparse in a flat tone', () => {
    const dots = draw((x, y) => (x % 4 === 1 && y % 6 === 2 ? [240, 150, 90] : [240, 120, 40]))
    const { frame, dithered } = undither(dots)
    expect(dithered).toBeGreaterThan(0.4)
    expect(Math.max(...frame.data.filter((_, at) => at % 3 === 1))).toBeLessThan(135)
  })

  it('keeps the edge between what is dithered and another colour', () => {
    const dithered = ordered()
    const frame = draw((x, y) =>
      x < 48
        ? [
            dithered.data[(y * width + x) * 3]!,
            dithered.data[(y * width + x) * 3]!,
            dithered.data[(y * width + x) * 3]!,
          ]
        : [255, 0, 0],
    )
    const { data } = undither(frame).frame
    for (let y = 0; y < height; y++)
      expect([...data.subarray((y * width + 48) * 3, (y * width + 48) * 3 + 3)]).toEqual([255, 0, 0])
  })

  it('takes frames of any size, and with alpha', () => {
    for (const [w, h] of [
      [1, 1],
      [2, 9],
      [3, 3],
    ] as const) {
      const frame = { width: w, height: h, channels: 4 as const, data: new Uint8Array(w * h * 4).fill(7) }
      expect(undither(frame).frame).toEqual(frame)
    }
  })
})
