/**
 * Large images as AVIF. Each tile is encoded as an image of its own and its coded bytes are joined (`containers/av1/join-tiles`), so that the encoder takes
 * the memory of a tile. The result is decoded a few rows of tiles at once. A grid of images (ISO/IEC 23008-12, `grid`) would do the same, but
 * Firefox 153 does not show it.
 */

import { setImmediate } from 'node:timers/promises'
import { cutRows, joinTiles, sharedHeaders, type TileRows } from '../containers/av1/join-tiles.ts'
import { openStill, type StillAv1 } from '../containers/av1/still.ts'
import { layTiles, rowsOf, type TileLayout, tilesOf } from '../containers/av1/tile-layout.ts'
import { codedOf, withCoded } from '../containers/avif-coded.ts'
import type { AnyRaster, Box, Extent, Raster } from '../core/image.ts'
import { toPixels } from '../raster/raw.ts'
import { mapAtOnce } from '../support/at-once.ts'
import { exhaustion } from '../support/exhausted.ts'
import { lazily } from '../support/lazily.ts'
import { releaseBuffer } from '../support/release-buffer.ts'

const TILING = {
  /**
   * Highest effort of a tile, and that of tiles that cannot be joined. Headers of photographs differ in whether there are palettes, which flat areas
   * lead to, and whether there are smaller transforms. At effort 0 both are rare.
   */
  maxEffort: 3,
  otherEffort: 0,
  /** Above the first one, tiles choose a number of filter strengths, and blocks name theirs. The second one follows where these numbers differ (3 of 25 photographs and settings). */
  oneStrength: 2,
  oneStrengthEffort: 1,
  /** Tiles that are encoded at once, each in 0.1 GB. */
  atOnce: 2,
  /** Pixels of an image up to which strips are decoded at once too. One takes 0.22 GB at 24 and at 48 megapixels. */
  maxDecodedAtOnce: 16e6,
  /**
   * Of an image. Smooth photographs of 4 to 10 megapixels have tiles that need the other effort, which costs 4 to 5 % of the bytes; at
   * 12 a frame takes 0.6 GB with ten bits.
   */
  minPixels: 12e6,
} as const

/** The result, or undefined where it throws for another reason than memory. */
const unlessFailed = <T>(run: () => T): T | undefined => {
  try {
    return run()
  } catch (error) {
    if (exhaustion(error) !== undefined) throw error
    return undefined
  }
}

/** One tile at one effort as an AVIF. */
export type EncodeTile = (tile: Box, effort: number) => Promise<Uint8Array>

/** An encoded tile. */
interface CodedTile {
  readonly avif: Uint8Array
  /** The headers that it must share with other tiles. undefined where they cannot be read. */
  readonly shared: string | undefined
  /** The same tile at the lowest effort. */
  readonly other: () => Promise<CodedTile>
}

const encodeBox = async (encode: EncodeTile, box: Box, effort: number): Promise<Omit<CodedTile, 'other'>> => {
  const avif = await encode(box, effort)
  return { avif, shared: unlessFailed(() => sharedHeaders(codedOf(avif)).toString('latin1')) }
}

/** The tile, or itself at the lowest effort, where it has the headers. */
const tileWith = async (headers: string, tile: CodedTile): Promise<CodedTile | undefined> => {
  if (tile.shared === headers) return tile
  const other = await tile.other()
  return other.shared === headers ? other : undefined
}

/** The tiles with the same headers, if possible those of most tiles at their own effort. undefined where no headers can be those of all. */
const withEqualHeaders = async (tiles: readonly CodedTile[]): Promise<readonly CodedTile[] | undefined> => {
  const groups = [...Map.groupBy(tiles, ({ shared }) => shared)].toSorted(([, a], [, b]) => b.length - a.length)
  for (const [headers] of groups) {
    const fitting: CodedTile[] = []
    for (const tile of tiles) {
      const found = headers === undefined ? undefined : await tileWith(headers, tile)
      if (found === undefined) break
      fitting.push(found)
    }
    if (fitting.length === tiles.length) return fitting
  }
  return undefined
}

/** Whether an image is encoded in tiles at an effort: large opaque ones are. */
export const isTiled = ({ width, height, channels }: Raster, effort: number): boolean =>
  width * height >= TILING.minPixels && channels === 3 && effort <= TILING.maxEffort

/** How the tiles of an image are encoded. */
export interface TileEncoding {
  readonly effort: number
  readonly encode: EncodeTile
  /** Whether all tiles will end in time, when a share of them took some ms. A lower effort follows where they will not. */
  readonly hasTime?: (share: number, ms: number) => boolean
}

/** An image in tiles, and the effort that its tiles were joined at. */
export interface TiledFile {
  readonly file: Uint8Array
  readonly effort: number
}

/** Encodes tiles at an effort, and those whose headers differ at the lowest one. Ends with undefined when some tiles cannot share their headers, or when they take too long. */
const encodeAt = async (
  layout: TileLayout,
  others: readonly (() => Promise<CodedTile>)[],
  { effort, encode, hasTime = () => true }: TileEncoding,
): Promise<Uint8Array | undefined> => {
  const since = performance.now()
  const encoded: CodedTile[] = []
  let canGoOn = true
  const boxes = [...tilesOf(layout).entries()]
  const tiles = await mapAtOnce(boxes, TILING.atOnce, async ([at, box]) => {
    if (!canGoOn) return []
    const other = others[at]!
    const tile = effort === TILING.otherEffort ? await other() : { ...(await encodeBox(encode, box, effort)), other }
    encoded.push(tile)
    // Between these moments other tiles are nearly done.
    const isCounted = encoded.length % TILING.atOnce === 0
    const isLate = isCounted && !hasTime(encoded.length / boxes.length, performance.now() - since)
    if (isLate || (await withEqualHeaders([...encoded])) === undefined) canGoOn = false
    return [tile]
  })
  const fitting = canGoOn ? await withEqualHeaders(tiles.flat()) : undefined
  if (fitting === undefined) return undefined
  const coded = fitting.map(({ avif }) => codedOf(avif))
  const joined = unlessFailed(() => joinTiles(layout, coded))
  return joined && withCoded(fitting[0]!.avif, joined, layout)
}

/** The efforts of tiles, each for those that cannot be joined at the one before. */
const effortsFrom = (effort: number): readonly number[] => {
  const lower = effort > TILING.oneStrength ? [TILING.oneStrengthEffort, TILING.otherEffort] : [TILING.otherEffort]
  return [effort, ...lower.filter((other) => other < effort)]
}

/**
 * Encodes an image in tiles at an effort, or at a lower one where tiles cannot share their headers or take too long. undefined where tiles of the lowest
 * effort cannot share their headers.
 */
export const encodeInTiles = async (
  { width, height }: Extent,
  { effort, encode, hasTime }: TileEncoding,
): Promise<TiledFile | undefined> => {
  // libaom has superblocks of 64 px at these efforts.
  const layout = layTiles({ width, height, superblock: 64 })
  const others = tilesOf(layout).map((box) => {
    const tile = lazily(async (): Promise<CodedTile> => {
      const coded = await encodeBox(encode, box, TILING.otherEffort)
      return { ...coded, other: tile }
    })
    return tile
  })
  const efforts = effortsFrom(effort)
  for (const own of efforts) {
    const isLast = own === efforts.at(-1)
    const file = await encodeAt(layout, others, { effort: own, encode, ...(isLast ? {} : { hasTime }) })
    if (file !== undefined) return { file, effort: own }
  }
  return undefined
}

/** Cuts rows of tiles out. Where AV1 has no layout of these rows alone, earlier rows come with them. */
const cutFrom = (still: StillAv1, { first, end }: TileRows) => {
  for (let from = first; from > 0; from -= 1) {
    const cut = unlessFailed(() => cutRows(still, { first: from, end }))
    if (cut !== undefined) return { ...cut, from }
  }
  return { ...cutRows(still, { first: 0, end }), from: 0 }
}

/**
 * Two rows of tiles are decoded at once, since the filters change both sides of an edge. Used are the rows of px from the middle of the first
 * one to the middle of the second one; from and to the edges of the image.
 */
const stripsOf = ({ header: { layout } }: StillAv1) => {
  const rows = rowsOf(layout)
  const middle = (index: number): number => rows[index]!.at + (rows[index]!.length >> 1)
  return rows.slice(1).map((_, first) => ({
    rows: { first, end: first + 2 } satisfies TileRows,
    from: first === 0 ? 0 : middle(first),
    to: first + 2 === rows.length ? layout.height : middle(first + 1),
  }))
}

/** Decodes a file of {@link encodeInTiles}: the pixels are those of the whole. */
const decodeStrips = async (file: Uint8Array, still: StillAv1): Promise<Raster> => {
  const { width, height } = still.sequence
  const stride = width * 3
  const data = new Uint8Array(stride * height)
  const atOnce = width * height <= TILING.maxDecodedAtOnce ? TILING.atOnce : 1
  // The last strip, which may be the highest, is decoded while no page of the result is in use.
  await mapAtOnce(stripsOf(still).toReversed(), atOnce, async ({ rows, from, to }) => {
    const { coded, size, from: firstRow } = cutFrom(still, rows)
    const top = rowsOf(still.header.layout)[firstRow]!.at
    const strip = await toPixels(withCoded(file, coded, size), { left: 0, top: from - top, width, height: to - from })
    data.set(strip.data, from * stride)
    releaseBuffer(strip.data)
    // A native callback holds its buffer until its turn of the event loop ends.
    await setImmediate()
  })
  return { data, width, height, channels: 3 }
}

/** Decodes one of our AVIF files; one in tiles takes the memory of two or four rows of tiles. */
export const decodeAvif = async (file: Uint8Array): Promise<AnyRaster> => {
  const still = unlessFailed(() => openStill(codedOf(file)))
  if (still === undefined || still.header.layout.rowsLog === 0) return toPixels(file)
  return decodeStrips(file, still)
}
