/**
 * Large images as AVIF. Each tile is encoded as an image of its own and its coded bytes are joined (`containers/av1/join-tiles`), so that the encoder takes
 * the memory of a tile. The result is decoded a few rows of tiles at once. A grid of images (ISO/IEC 23008-12, `grid`) would do the same, but
 * Firefox 153 does not show it.
 */
import { cutRows, joinTiles, type TileRows } from '../containers/av1/join-tiles.ts'
import { openStill, type StillAv1 } from '../containers/av1/still.ts'
import { layTiles, rowsOf, tilesOf } from '../containers/av1/tile-layout.ts'
import { codedOf, withCoded } from '../containers/avif-coded.ts'
import type { AnyRaster, Box, Extent, Raster } from '../core/image.ts'
import { toPixels } from '../raster/raw.ts'
import { collectGarbage } from '../support/collect-garbage.ts'
import { exhaustion } from '../support/exhausted.ts'

const TILING = {
  /**
   * Highest one of a tile, and the one after a tile that cannot be joined. Their headers differ in two bits at most: whether there are palettes, which
   * flat areas lead to, and whether there are smaller transforms, which effort 0 rarely has. From effort 3 on, tiles differ in the number of filter
   * strengths too, which each block refers to.
   */
  maxEffort: 2,
  otherEffort: 0,
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

/** Whether the two bits have the values that nearly all tiles of photographs can have. */
const isJoinable = (avif: Uint8Array): boolean => {
  const header = unlessFailed(() => openStill(codedOf(avif)).header)
  return header !== undefined && !header.hasScreenTools && header.choosesTransforms
}

/** One tile at one effort as an AVIF. */
export type EncodeTile = (tile: Box, effort: number) => Promise<Uint8Array>

const firstJoinable = async (
  encode: EncodeTile,
  box: Box,
  efforts: readonly number[],
): Promise<Uint8Array | undefined> => {
  for (const effort of efforts) {
    const tile = await encode(box, effort)
    if (isJoinable(tile)) return tile
  }
  return undefined
}

/** Whether an image is encoded in tiles at an effort: large opaque ones are. */
export const isTiled = ({ width, height, channels }: Raster, effort: number): boolean =>
  width * height >= TILING.minPixels && channels === 3 && effort <= TILING.maxEffort && effort > TILING.otherEffort

/** Encodes an image in tiles at an effort. undefined where a tile cannot share its headers. */
export const encodeInTiles = async (
  { width, height }: Extent,
  effort: number,
  encode: EncodeTile,
): Promise<Uint8Array | undefined> => {
  // libaom has superblocks of 64 px at these efforts.
  const layout = layTiles({ width, height, superblock: 64 })
  const tiles: Uint8Array[] = []
  for (const box of tilesOf(layout)) {
    const tile = await firstJoinable(encode, box, [effort, TILING.otherEffort])
    if (tile === undefined) return undefined
    tiles.push(tile)
  }
  return unlessFailed(() => withCoded(tiles[0]!, joinTiles(layout, tiles.map(codedOf)), layout))
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
    top: rows[first]!.at,
    from: first === 0 ? 0 : middle(first),
    to: first + 2 === rows.length ? layout.height : middle(first + 1),
  }))
}

/** Decodes a file of {@link encodeInTiles}: the pixels are those of the whole. */
const decodeStrips = async (file: Uint8Array, still: StillAv1): Promise<Raster> => {
  const { width, height } = still.sequence
  const stride = width * 3
  const data = new Uint8Array(stride * height)
  for (const { rows, top, from, to } of stripsOf(still)) {
    const { coded, size } = cutRows(still, rows)
    const strip = await toPixels(withCoded(file, coded, size))
    data.set(strip.data.subarray((from - top) * stride, (to - top) * stride), from * stride)
    collectGarbage()
  }
  return { data, width, height, channels: 3 }
}

/** Decodes one of our AVIF files; one in tiles takes the memory of two rows of tiles. */
export const decodeAvif = async (file: Uint8Array): Promise<AnyRaster> => {
  const still = unlessFailed(() => openStill(codedOf(file)))
  if (still === undefined || still.header.layout.rowsLog === 0) return toPixels(file)
  return decodeStrips(file, still)
}
