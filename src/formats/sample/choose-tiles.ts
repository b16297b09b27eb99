import type { TileFeatures } from './tile-features.ts'

/** How many of the tiles with the most of each feature are always in the sample: what is most difficult binds first. */
const EXTREMES = { edges: 1, slopes: 3, chroma: 1 } as const

/** The tiles with the most of a feature. */
export const highest = (
  tiles: readonly TileFeatures[],
  feature: keyof typeof EXTREMES,
  count: number = EXTREMES[feature],
): readonly TileFeatures[] => tiles.toSorted((a, b) => b[feature] - a[feature]).slice(0, count)

/** Every n-th tile in the order of activity: one of each of `count` strata of equal size, from flat to busy. */
export const stratified = (tiles: readonly TileFeatures[], count: number): readonly TileFeatures[] => {
  const order = tiles.toSorted((a, b) => a.activity - b.activity)
  return Array.from({ length: count }, (_, at) => order[Math.floor(((at + 0.5) * order.length) / count)]!)
}

/**
 * `count` tiles that stand for all: stratified by activity, with the extremes of the other features. In the given order; all of them where
 * there are no more.
 */
export const chooseTiles = (tiles: readonly TileFeatures[], count: number): readonly TileFeatures[] => {
  if (tiles.length <= count) return tiles
  const extremes = new Set(
    (['edges', 'slopes', 'chroma'] as const).flatMap((feature) => highest(tiles, feature)).slice(0, count),
  )
  const others = tiles.filter((one) => !extremes.has(one))
  const chosen = new Set([...extremes, ...stratified(others, count - extremes.size)])
  return tiles.filter((one) => chosen.has(one))
}
