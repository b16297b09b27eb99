import { describe, expect, it } from 'vitest'
import { scoresFromTiles, tileCount } from './norms.ts'

/** Tiles of an image, each with one distance throughout. */
const tilesOf = (distances: readonly (readonly [distance: number, pixels: number])[]): Float64Array =>
  Float64Array.from(distances.flatMap(([d, pixels]) => [d ** 3 * pixels, d ** 6 * pixels, d ** 12 * pixels, d]))

describe('norms of tiles', () => {
  it('equal the distance when it is the same everywhere', () => {
    const scores = scoresFromTiles(tilesOf([[2, 40 * 50]]), 40, 50)
    expect(scores.norm3).toBeCloseTo(2)
    expect(scores.worstTile).toBeCloseTo(2)
    expect(scores.maximum).toBe(2)
  })

  it('count pixels that the last tile takes beyond 32', () => {
    // 64 + 20 px wide: tiles of 32 and 52.
    const tiles = tilesOf([
      [1, 32 * 32],
      [1, 52 * 32],
    ])
    expect(tileCount(84, 32)).toBe(2)
    expect(scoresFromTiles(tiles, 84, 32).norm3).toBeCloseTo(1)
  })

  it('find the worst square of two by two tiles', () => {
    const calm: readonly [number, number] = [0.1, 32 * 32]
    const bad: readonly [number, number] = [4, 32 * 32]
    const tiles = tilesOf([calm, calm, calm, calm, bad, bad, calm, calm, bad, bad, calm, calm])
    // Three columns, four rows; three of the four bad tiles lie in one square.
    const { norm3, worstTile, worstAt, maximum } = scoresFromTiles(tiles, 96, 128)
    expect(worstAt).toEqual({ left: 32, top: 32, width: 64, height: 64 })
    expect(maximum).toBe(4)
    expect(worstTile).toBeGreaterThan(norm3)
    const mean = (power: number) => ((3 * 4 ** power + 0.1 ** power) / 4) ** (1 / power)
    expect(worstTile).toBeCloseTo((mean(3) + mean(6) + mean(12)) / 3, 6)
  })
})
