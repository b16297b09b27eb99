/**
 * Joins still AV1 images to one of many tiles, and cuts rows of tiles out of one. Tiles share nothing but the headers (AV1 specification,
 * section 5.11.1), so the coded tiles are copied. A decoder filters the edges between them like those within.
 */
import type { Extent } from '../../core/image.ts'
import { type Av1BitWriter, writeBits } from './bits.ts'
import { openStill, type StillAv1 } from './still.ts'
import { columnLogs, columnsOf, maxTile, rowLogs, rowsOf, type Span, TILES, type TileLayout } from './tile-layout.ts'
import { UNIT, writeUnit } from './units.ts'

const writeSequence = ({ sequence: { sized, end }, sequenceBytes }: StillAv1, { width, height }: Extent): Buffer => {
  const bits = writeBits()
  bits.copy(sequenceBytes, 0, sized.from)
  // The level without bounds (annex A.3), then sides in 16 bits each.
  bits.write(31, 5)
  bits.write(0xff, 8)
  bits.write(width - 1, 16)
  bits.write(height - 1, 16)
  bits.copy(sequenceBytes, sized.to, end)
  bits.write(1, 1)
  return bits.bytes()
}

/** Writes what differs in a header between layouts of tiles: tile_info (section 5.9.15). */
type WriteTileInfo = (bits: Av1BitWriter) => void

const writeLengths = (bits: Av1BitWriter, logs: number): void => {
  bits.write(0, logs)
  bits.write(TILES.lengthBytes - 1, 2)
}

const evenTiles =
  (layout: TileLayout): WriteTileInfo =>
  (bits) => {
    const { columnsLog, rowsLog } = layout
    bits.write(1, 1)
    const sides = [
      [columnsLog, columnLogs(layout)],
      [rowsLog, rowLogs(layout, columnsLog)],
    ] as const
    for (const [log, { min, max }] of sides) {
      for (let at = min; at < log; at += 1) bits.write(1, 1)
      if (log < max) bits.write(0, 1)
    }
    writeLengths(bits, columnsLog + rowsLog)
  }

/** A number below `count`: ns(n) of section 4.10.7. */
const writeBelow = (bits: Av1BitWriter, number: number, count: number): void => {
  const length = Math.floor(Math.log2(count)) + 1
  const short = (1 << length) - count
  if (number < short) bits.write(number, length - 1)
  else bits.write(number + short, length)
}

const writeFrame = (
  { header: { tileInfo, end }, frameBytes }: StillAv1,
  write: WriteTileInfo,
  tiles: readonly Uint8Array[],
): Buffer => {
  const bits = writeBits()
  bits.copy(frameBytes, 0, tileInfo.from)
  write(bits)
  bits.copy(frameBytes, tileInfo.to, end)
  const parts = tiles.flatMap((data, at) => {
    const length = Buffer.alloc(TILES.lengthBytes)
    length.writeUInt32LE(data.length - 1)
    return at < tiles.length - 1 ? [length, data] : [data]
  })
  // The byte after the header says that all tiles follow.
  return writeUnit(UNIT.frame, bits.bytes(), Buffer.of(0), ...parts)
}

const writeStill = (still: StillAv1, size: Extent, frame: Buffer): Buffer =>
  Buffer.concat([writeUnit(UNIT.temporalDelimiter), writeUnit(UNIT.sequenceHeader, writeSequence(still, size)), frame])

/** The headers without what tiles need not share: their size, their level, and the strengths of filters. */
const sharedOf = ({ sequence, sequenceBytes, header, frameBytes }: StillAv1): Buffer => {
  const bits = writeBits()
  bits.copy(sequenceBytes, 0, sequence.sized.from)
  bits.copy(sequenceBytes, sequence.sized.to, sequence.end)
  let at = 0
  for (const { from, to } of [header.tileInfo, ...header.filters]) {
    bits.copy(frameBytes, at, from)
    at = to
  }
  bits.copy(frameBytes, at, header.end)
  return bits.bytes()
}

/** The headers that a still must share with those it is joined with. Throws where they cannot be read. */
export const sharedHeaders = (coded: Uint8Array): Buffer => sharedOf(openStill(coded))

/** Joins the stills of a layout's tiles, in rows. The filters are those of the first one. Throws where they were coded in different ways. */
export const joinTiles = (layout: TileLayout, coded: readonly Uint8Array[]): Buffer => {
  const stills = coded.map(openStill)
  const [first] = stills
  if (first === undefined || stills.length < 2) throw new Error('Fewer tiles than two')
  const shared = sharedOf(first)
  if (first.sequence.superblock !== layout.superblock || stills.some((still) => !sharedOf(still).equals(shared)))
    throw new Error('Tiles that were coded in different ways')
  const tiles = stills.flatMap((still) => still.tiles)
  return writeStill(first, layout, writeFrame(first, evenTiles(layout), tiles))
}

/** Rows of tiles, from `first` to before `end`. */
export interface TileRows {
  readonly first: number
  readonly end: number
}

/** tile_info with the length of every column and row. Throws where a tile is larger than may be. */
const tilesOfLengths = (layout: TileLayout, rows: readonly Span[]): WriteTileInfo => {
  const columns = columnsOf(layout)
  const largest = maxTile(layout, columns[0]!.length)
  const blocksOf = ({ length }: Span): number => Math.ceil(length / layout.superblock)
  if (rows.some((row) => blocksOf(row) > largest.down)) throw new RangeError('Rows of too few tiles')
  return (bits) => {
    const writeSide = (spans: readonly Span[], max: number): void => {
      let left = spans.reduce((sum, span) => sum + blocksOf(span), 0)
      for (const span of spans) {
        writeBelow(bits, blocksOf(span) - 1, Math.min(left, max))
        left -= blocksOf(span)
      }
    }
    bits.write(0, 1)
    writeSide(columns, largest.across)
    writeSide(rows, largest.down)
    writeLengths(bits, Math.ceil(Math.log2(columns.length)) + Math.ceil(Math.log2(rows.length)))
  }
}

/** An even layout where it has these rows: of few rows the last may be too low for it. */
const tileInfoOf = (layout: TileLayout, rows: readonly Span[]): WriteTileInfo => {
  const even = { ...layout, rowsLog: Math.ceil(Math.log2(rows.length)) }
  const evenRows = rowsOf(even)
  const isEven = evenRows.length === rows.length && evenRows.every(({ length }, at) => length === rows[at]!.length)
  return isEven ? evenTiles(even) : tilesOfLengths(layout, rows)
}

/** The rows of tiles as an image of their own. It differs from the whole in a few px at the edges where it was cut. */
export const cutRows = (
  still: StillAv1,
  { first, end }: TileRows,
): { readonly coded: Buffer; readonly size: Extent } => {
  const { layout } = still.header
  const rows = rowsOf(layout).slice(first, end)
  const across = columnsOf(layout).length
  const size = { ...layout, height: rows.reduce((sum, { length }) => sum + length, 0) }
  const tiles = still.tiles.slice(first * across, end * across)
  return { coded: writeStill(still, size, writeFrame(still, tileInfoOf(size, rows), tiles)), size }
}
