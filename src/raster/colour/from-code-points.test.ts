import { describe, expect, it } from 'vitest'
import { fromCodePoints } from './from-code-points.ts'

const shown = (primaries: number, transfer: number, ...colour: readonly number[]): readonly number[] => [
  ...fromCodePoints(
    { width: 1, height: 1, channels: 3, data: Uint16Array.from(colour, (level) => Math.round(level * 65_535)) },
    { primaries, transfer },
  ).data,
]

describe('what Chromium 156 shows of a PNG with these code points', () => {
  it.each([
    [1, 1, [0.5, 0.5, 0.5], [121, 121, 121]],
    [1, 4, [0.5, 0.5, 0.5], [129, 129, 129]],
    [1, 8, [0.5, 0.2, 0.2], [188, 124, 124]],
    [1, 16, [0.1, 0.1, 0.1], [3, 3, 3]],
    [1, 16, [0.58, 0.58, 0.58], [187, 187, 187]],
    [1, 16, [0.7, 0.7, 0.7], [240, 240, 240]],
    [1, 16, [0.3, 0.75, 0.3], [27, 255, 27]],
    [9, 16, [0.6, 0.5, 0.4], [235, 116, 65]],
    [9, 16, [1, 1, 1], [255, 255, 255]],
    [1, 18, [0.75, 0.75, 0.75], [188, 188, 188]],
    [9, 18, [0.5, 0.2, 0.2], [111, 17, 33]],
    [9, 18, [0.3, 0.3, 0.75], [35, 54, 167]],
    [12, 18, [0.6, 0.5, 0.4], [127, 99, 78]],
    [12, 13, [0.6, 0.5, 0.4], [158, 127, 98]],
    [12, 13, [1, 0, 0], [255, 0, 0]],
    [9, 13, [0.3, 0.75, 0.3], [0, 200, 46]],
  ])('primaries %i, transfer %i: %j is %j', (primaries, transfer, colour, expected) => {
    const difference = shown(primaries, transfer, ...colour).map((level, at) => Math.abs(level - expected[at]!))
    expect(Math.max(...difference)).toBeLessThanOrEqual(2)
  })
})

it('transparency is unchanged in 8 and in 16 bits', () => {
  const codePoints = { primaries: 12, transfer: 13 }
  const eight = fromCodePoints({ width: 1, height: 1, channels: 4, data: Uint8Array.of(255, 0, 0, 77) }, codePoints)
  const sixteen = fromCodePoints(
    { width: 1, height: 1, channels: 4, data: Uint16Array.of(65_535, 0, 0, 77 * 257) },
    codePoints,
  )
  expect([...eight.data]).toEqual([255, 0, 0, 77])
  expect([...sixteen.data]).toEqual([255, 0, 0, 77])
})

it('undefined code points count as sRGB', () => {
  expect(shown(200, 99, 0.5, 0.25, 0.75)).toEqual([128, 64, 191])
})
