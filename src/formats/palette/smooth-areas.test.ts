import { describe, expect, it } from 'vitest'
import { findSmoothAreas } from './smooth-areas.ts'

/** A grey image of vertical lines with the given samples. */
const linesOf = (samples: readonly number[]) => {
  const [width, height] = [samples.length, 20]
  const data = new Uint8Array(width * height * 4).fill(255)
  for (let at = 0; at < width * height; at++) data.fill(samples[at % width]!, at * 4, at * 4 + 3)
  return { data, width, height, channels: 4 } as const
}

/** How many pixels of a middle row are part of a gradient. */
const smoothIn = (samples: readonly number[]): number =>
  findSmoothAreas(linesOf(samples))
    .subarray(10 * samples.length, 11 * samples.length)
    .reduce((sum, one) => sum + one, 0)

const flat = (level: number): number[] => Array<number>(10).fill(level)
const ramp = (from: number, step: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => from + i * step)

describe('gradients of an image', () => {
  it('include the soft edge of a shadow, 12 levels a pixel', () => {
    expect(smoothIn([...flat(40), ...ramp(52, 12, 6), ...flat(124)])).toBeGreaterThanOrEqual(6)
  })

  it('leave out edges that are antialiased, and flat areas', () => {
    expect(smoothIn([...flat(0), 127, ...flat(255)])).toBe(0)
    expect(smoothIn(flat(80))).toBe(0)
  })
})
