import { describe, expect, it } from 'vitest'
import { decodeHead, type PoseOutputs } from './poses.ts'

const GRID = 32
const POINTS = 17
type Place = readonly [x: number, y: number]

/** Nose, eyes, ears and shoulders of an upright person whose head is 4 cells high. From behind they have the same points. */
const UPRIGHT: readonly Place[] = [
  [16, 10],
  [15.5, 9.5],
  [16.5, 9.5],
  [14.8, 10],
  [17.2, 10],
  [14, 12.3],
  [18, 12.3],
]

/** Outputs that hold one body in the middle, its points at cells and parts of cells, each so sure. */
const outputsOf = (places: readonly Place[], logit = 0): PoseOutputs => {
  const cells = GRID * GRID
  const outputs = {
    centres: new Float32Array(cells).fill(-9),
    points: new Float32Array(cells * POINTS).fill(-9),
    reaches: new Float32Array(cells * 2 * POINTS),
    offsets: new Float32Array(cells * 2 * POINTS),
  }
  const body = (GRID / 2) * GRID + GRID / 2
  outputs.centres[body] = 3
  for (const [point, [x, y]] of places.entries()) {
    const cell = Math.floor(y) * GRID + Math.floor(x)
    outputs.points[cell * POINTS + point] = logit
    outputs.offsets.set([y % 1, x % 1], 2 * (cell * POINTS + point))
    outputs.reaches.set([y - GRID / 2, x - GRID / 2], 2 * (body * POINTS + point))
  }
  return outputs
}

const PAIRS = [0, 2, 1, 4, 3, 6, 5] as const

/** The same body in the mirror: left and right of it change places. */
const mirrored = (places: readonly Place[]): Place[] =>
  PAIRS.flatMap((point) => places.slice(point, point + 1).map(([x, y]): Place => [GRID - x, y]))

/** The head of a body that is seen in the mirror as it is, or otherwise. */
const headOf = (places: readonly Place[], logit = 0, again = logit) =>
  decodeHead(outputsOf(places, logit), outputsOf(mirrored(places), again))

const turned = (places: readonly Place[]): Place[] => places.map(([x, y]) => [y, x])

describe('decodeHead', () => {
  it('places the head around its points, with a height by the distance of the shoulders', () => {
    const { x, y, width, height, score } = headOf(UPRIGHT)!
    const neck = 12.3 - 9.8
    expect(x + width / 2).toBeCloseTo(16 / GRID)
    expect(y + height / 2).toBeCloseTo((9.8 - 0.03 * neck) / GRID)
    expect(height).toBeCloseTo((2 * 0.55 * neck) / 0.57 / GRID)
    expect(width / height).toBeCloseTo(0.47 / 0.55)
    expect(score).toBe(1)
  })

  it('places the head sideways for a lying body', () => {
    const [up, side] = [headOf(UPRIGHT)!, headOf(turned(UPRIGHT))!]
    expect([side.x, side.y, side.width, side.height]).toEqual(
      [up.y, up.x, up.height, up.width].map((value) => expect.closeTo(value)),
    )
    expect([up.up.x, up.up.y, side.up.x, side.up.y]).toEqual([0, -1, -1, 0].map((value) => expect.closeTo(value)))
  })

  it('takes the height from the ears if the shoulders are near, as for a bent body', () => {
    const bent = UPRIGHT.map(([x, y], point): Place => (point < 5 ? [x, y] : [x, 10.5]))
    expect(headOf(bent)!.height).toBeCloseTo((2 * 0.55 * 2.4) / 0.6 / GRID)
  })

  it('takes the body in the middle of two', () => {
    const [outputs, again] = [outputsOf(UPRIGHT), outputsOf(mirrored(UPRIGHT))]
    for (const [point, [x, y]] of UPRIGHT.entries()) {
      outputs.points[(Math.floor(y) * GRID + Math.floor(x) + 12) * POINTS + point] = 1
      again.points[(Math.floor(y) * GRID + Math.floor(x) - 12) * POINTS + point] = 1
    }
    expect(decodeHead(outputs, again)!.x).toBeCloseTo(headOf(UPRIGHT)!.x)
  })

  it('scores the head by its points, and finds none if they are doubtful', () => {
    expect(headOf(UPRIGHT, -0.6)!.score).toBeGreaterThan(0.5)
    expect(headOf(UPRIGHT, -0.6)!.score).toBeLessThan(1)
    expect(headOf(UPRIGHT, -0.9)).toBe(undefined)
  })

  it('averages both looks by their scores', () => {
    expect(headOf(UPRIGHT, 0, -2.5)).toBe(undefined)
    const doubtful = headOf(UPRIGHT, 0.5, -0.9)!
    expect([doubtful.score, doubtful.x]).toEqual([1, expect.closeTo(headOf(UPRIGHT)!.x)])
    const aside = UPRIGHT.map(([x, y]): Place => [x + 2, y])
    const middleOf = (sure: number, again: number): number => {
      const { x, width } = decodeHead(outputsOf(UPRIGHT, sure), outputsOf(mirrored(aside), again))!
      return (x + width / 2) * GRID
    }
    expect(middleOf(0, 0)).toBeCloseTo(17)
    expect(middleOf(0.5, 0)).toBeLessThan(16.9)
  })

  it('gives a finite box if all points coincide', () => {
    const { width, height } = headOf(UPRIGHT.map(() => [16, 16] as const))!
    expect([Number.isFinite(width), Number.isFinite(height)]).toEqual([true, true])
  })
})
