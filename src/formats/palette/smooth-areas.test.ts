import { describe, expect, it } from 'vitest'
import { findSmoothAreas } from './smooth-areas.ts'

/** Black vertical lines of the given alphas. */
const linesOf = (alphas: readonly number[]) => {
  const [width, height] = [alphas.length, 20]
  const data = new Uint8Array(width * height * 4)
  for (let at = 0; at < width * height; at++) data[at * 4 + 3] = alphas[at % width]!
  return { data, width, height, channels: 4 } as const
}

/** How many pixels of a middle row are part of a gradient. */
const smoothIn = (alphas: readonly number[]): number =>
  findSmoothAreas(linesOf(alphas))
    .subarray(10 * alphas.length, 11 * alphas.length)
    .reduce((sum, one) => sum + one, 0)

const flat = (level: number): number[] => Array<number>(10).fill(level)
const ramp = (from: number, step: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => from + i * step)

describe('gradients of an image', () => {
  it('include the soft edge of a transparent shadow, 12 levels a pixel', () => {
    expect(smoothIn([...flat(40), ...ramp(52, 12, 6), ...flat(124)])).toBeGreaterThanOrEqual(6)
  })

  it('leave out edges that are antialiased, and flat areas', () => {
    expect(smoothIn([...flat(0), 127, ...flat(255)])).toBe(0)
    expect(smoothIn(flat(80))).toBe(0)
  })
})
