import { describe, expect, it } from 'vitest'
import { chooseTiles } from './choose-tiles.ts'
import type { TileFeatures } from './tile-features.ts'

const box = { left: 0, top: 0, width: 256, height: 256 }
const tile = (features: Partial<TileFeatures>): TileFeatures => ({
  box,
  activity: 0,
  edges: 0,
  slopes: 0,
  chroma: 0,
  ...features,
})

describe('choosing the tiles of a sample', () => {
  it('takes all tiles where there are no more than the sample holds', () => {
    const tiles = [tile({ activity: 1 }), tile({ activity: 2 })]
    expect(chooseTiles(tiles, 4)).toBe(tiles)
  })

  it('takes as many tiles as the sample holds, from flat to busy', () => {
    const tiles = Array.from({ length: 100 }, (_, at) =>
      tile({ activity: (at * 37) % 100, edges: at, slopes: at, chroma: at }),
    )
    const chosen = chooseTiles(tiles, 11).map(({ activity }) => activity)
    expect(chosen).toHaveLength(11)
    expect(Math.min(...chosen)).toBeLessThan(10)
    expect(Math.max(...chosen)).toBeGreaterThan(89)
  })

  it('always takes the tile with the most edges, the most slopes and the most colour', () => {
    const extremes = [tile({ edges: 9 }), tile({ slopes: 9 }), tile({ chroma: 9 })]
    const tiles = [...Array.from({ length: 50 }, (_, at) => tile({ activity: at })), ...extremes]
    expect(chooseTiles(tiles, 9)).toEqual(expect.arrayContaining(extremes))
  })
})
