import type { Box, Extent } from '../../core/image.ts'

/** Smallest n for which `unit` times two to the power of n reaches `target`. */
const log2From = (unit: number, target: number): number => {
  let log = 0
  while (unit << log < target) log += 1
  return log
}

/** Sides of a frame and of its superblocks, px. */
export interface Blocks extends Extent {
  readonly superblock: 64 | 128
}

/** How a frame is cut into tiles of equal size but for the last column and row (AV1 specification, section 5.9.15). */
export interface TileLayout extends Blocks {
  /** Logarithms of the most columns and rows. */
  readonly columnsLog: number
  readonly rowsLog: number
}

/** Limits of tiles. The first three are MAX_TILE_COLS and so on of the specification's section 3. */
export const TILES = {
  /** Of a side, at most. */
  maxCount: 64,
  /** Px. */
  maxWidth: 4096,
  /** Px. */
  maxArea: 4096 * 2304,
  /** Px of a side. Below, libaom leaves out tools: 4 to 7 % more bytes (3 photographs of 4.7 to 8 megapixels). */
  minSide: 720,
  /** Bytes of a tile's length in a frame. */
  lengthBytes: 4,
} as const

const blocksIn = ({ width, height, superblock }: Blocks) => ({
  across: Math.ceil(width / superblock),
  down: Math.ceil(height / superblock),
})

/** The bounds of a logarithm in a frame. */
export interface LogBounds {
  readonly min: number
  readonly max: number
}

/** Returns the bounds of the binary logarithm of the number of tile columns. */
export const columnLogs = (frame: Blocks): LogBounds => {
  const { across } = blocksIn(frame)
  return {
    min: log2From(TILES.maxWidth / frame.superblock, across),
    max: log2From(1, Math.min(across, TILES.maxCount)),
  }
}

/** Logarithm of the number of tiles of a frame at least. */
const minTilesLog = (frame: Blocks): number => {
  const { across, down } = blocksIn(frame)
  return Math.max(columnLogs(frame).min, log2From(TILES.maxArea / frame.superblock ** 2, across * down))
}

export const rowLogs = (frame: Blocks, columnsLog: number): LogBounds => ({
  min: Math.max(0, minTilesLog(frame) - columnsLog),
  max: log2From(1, Math.min(blocksIn(frame).down, TILES.maxCount)),
})

/** The largest tile of a frame with a widest column, in superblocks. */
export const maxTile = (frame: Blocks, widest: number): { readonly across: number; readonly down: number } => {
  const { across, down } = blocksIn(frame)
  const minTiles = minTilesLog(frame)
  const area = minTiles > 0 ? (across * down) >> (minTiles + 1) : across * down
  const width = Math.ceil(widest / frame.superblock)
  return { across: TILES.maxWidth / frame.superblock, down: Math.max(1, Math.floor(area / width)) }
}

/** Superblocks of a column or row but the last. */
const stepBlocks = (blocks: number, log: number): number => Math.ceil(blocks / (1 << log))

/** A begin and a length on an axis, px. */
export interface Span {
  readonly at: number
  readonly length: number
}

/** Columns or rows: of equal length in superblocks but for the last. */
const spansOf = (px: number, log: number, superblock: number): readonly Span[] => {
  const step = stepBlocks(Math.ceil(px / superblock), log) * superblock
  return Array.from({ length: Math.ceil(px / step) }, (_, index) => {
    const at = index * step
    return { at, length: Math.min(step, px - at) }
  })
}

export const columnsOf = ({ width, columnsLog, superblock }: TileLayout): readonly Span[] =>
  spansOf(width, columnsLog, superblock)

export const rowsOf = ({ height, rowsLog, superblock }: TileLayout): readonly Span[] =>
  spansOf(height, rowsLog, superblock)

/** The tiles in rows. */
export const tilesOf = (layout: TileLayout): readonly Box[] => {
  const columns = columnsOf(layout)
  return rowsOf(layout).flatMap((row) =>
    columns.map((column) => ({ left: column.at, top: row.at, width: column.length, height: row.length })),
  )
}

/** The lowest tiles that keep the least side. They have the greatest width, since headers of larger tiles differ less. */
export const layTiles = (frame: Blocks): TileLayout => {
  const { width, height, superblock } = frame
  const columnsLog = columnLogs(frame).min
  const rows = rowLogs(frame, columnsLog)
  let rowsLog = rows.min
  while (rowsLog < rows.max && stepBlocks(blocksIn(frame).down, rowsLog + 1) * superblock >= TILES.minSide) rowsLog += 1
  return { width, height, superblock, columnsLog, rowsLog }
}
