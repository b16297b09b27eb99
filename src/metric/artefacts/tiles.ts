import type { Box, Extent } from '../../core/image.ts'

/** Square tiles of `side` px in rows, of an image of width x height px; the last one of a row or column takes the rest. */
export interface TileGrid extends Extent {
  readonly side: number
  readonly across: number
  readonly down: number
}

/** Tiles of `side` px that fit: one at least each way. */
export const gridOf = ({ width, height }: Extent, side: number): TileGrid => ({
  width,
  height,
  side,
  across: Math.max(1, Math.floor(width / side)),
  down: Math.max(1, Math.floor(height / side)),
})

/** How many tiles there are. */
export const tilesIn = ({ across, down }: TileGrid): number => across * down

/** How many pixels lie in tile `index`. */
export const tilePixels = ({ width, height, side, across, down }: TileGrid, index: number): number => {
  const column = index % across
  const row = (index - column) / across
  return (column === across - 1 ? width - column * side : side) * (row === down - 1 ? height - row * side : side)
}

/** Where tile `index` lies. */
export const tileBox = ({ width, height, side, across, down }: TileGrid, index: number): Box => {
  const [column, row] = [index % across, Math.floor(index / across)]
  return {
    left: column * side,
    top: row * side,
    width: column === across - 1 ? width - column * side : side,
    height: row === down - 1 ? height - row * side : side,
  }
}
