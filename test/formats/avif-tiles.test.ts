import sharp from 'sharp'
import { expect, it } from 'vitest'
import { cutRows, joinTiles } from '../../src/containers/av1/join-tiles.ts'
import { openStill } from '../../src/containers/av1/still.ts'
import { layTiles, rowsOf, tilesOf } from '../../src/containers/av1/tile-layout.ts'
import { codedOf, withCoded } from '../../src/containers/avif-coded.ts'
import type { Box, Raster } from '../../src/core/image.ts'
import { decodeAvif, encodeInTiles, isTiled } from '../../src/formats/avif-tiles.ts'
import { fromPixels, toPixels } from '../../src/raster/raw.ts'
import { PHOTO } from '../engine/samples.ts'

/** A photograph repeated to a size. */
const photograph = async (width: number, height: number): Promise<Raster> => {
  const empty = { create: { width, height, channels: 3, background: 'grey' } } as const
  const repeated = sharp(empty).composite([{ input: PHOTO, tile: true }])
  return toPixels(await repeated.removeAlpha().png({ compressionLevel: 0 }).toBuffer())
}

/** The file in tiles. */
const inTiles = async (...of: Parameters<typeof encodeInTiles>): Promise<Uint8Array> => {
  const tiled = await encodeInTiles(...of)
  if (tiled === undefined) throw new Error('not in tiles')
  return tiled.file
}

const encodeTile = (pixels: Raster) => (tile: Box, effort: number) =>
  fromPixels(pixels).extract(tile).avif({ effort, quality: 60, bitdepth: 10 }).toBuffer()

/** Pixels on each side of an edge between tiles that a decoder's filters change. */
const FILTERED = 16

/** The largest difference of a sample between a tile and its place in the whole, away from its edges. */
const differenceWithin = (tile: Raster, { left, top }: Box, whole: Raster): number => {
  let largest = 0
  for (let y = FILTERED; y < tile.height - FILTERED; y++)
    for (let x = FILTERED * 3; x < (tile.width - FILTERED) * 3; x++) {
      const own = tile.data[y * tile.width * 3 + x]!
      largest = Math.max(largest, Math.abs(own - whole.data[((top + y) * whole.width + left) * 3 + x]!))
    }
  return largest
}

it('joined tiles decode to the pixels of each tile, but for the edges between them', async () => {
  const pixels = await photograph(1501, 1549)
  const layout = { ...layTiles({ width: 1501, height: 1549, superblock: 64 }), columnsLog: 1 }
  const boxes = tilesOf(layout)
  expect(boxes).toHaveLength(4)
  const tiles = await Promise.all(boxes.map((box) => encodeTile(pixels)(box, 1)))
  const whole = await toPixels(withCoded(tiles[0]!, joinTiles(layout, tiles.map(codedOf)), layout))
  expect([whole.width, whole.height]).toEqual([1501, 1549])
  for (const [at, box] of boxes.entries())
    expect(differenceWithin(await toPixels(tiles[at]!), box, whole), `${box.left},${box.top}`).toBe(0)
})

it('AVIF of a large photograph is encoded in tiles, and decoded in rows of tiles to the same pixels', async () => {
  const pixels = await photograph(740, 2850)
  const file = await inTiles(pixels, { effort: 2, encode: encodeTile(pixels) })
  const { layout } = openStill(codedOf(file)).header
  expect(rowsOf(layout)).toHaveLength(4)
  const whole = await toPixels(file)
  expect(Buffer.compare((await decodeAvif(file)).data, whole.data)).toBe(0)
})

it('rows of tiles without a layout of their own are decoded with those above them', async () => {
  // 22 + 20 superblocks of 55 across may have tiles of 20 rows at most.
  const [width, height] = [3480, 5445]
  const pixels = await photograph(width, height)
  const layout = { ...layTiles({ width, height, superblock: 64 }), columnsLog: 1 }
  const tiles: Uint8Array[] = []
  for (const box of tilesOf(layout)) tiles.push(await encodeTile(pixels)(box, 0))
  const file = withCoded(tiles[0]!, joinTiles(layout, tiles.map(codedOf)), layout)
  const whole = await toPixels(file)
  expect(Buffer.compare((await decodeAvif(file)).data, whole.data)).toBe(0)
})

it('the rows of tiles that are cut out of an AVIF are an AVIF of their height', async () => {
  const pixels = await photograph(740, 2850)
  const file = await inTiles(pixels, { effort: 1, encode: encodeTile(pixels) })
  const still = openStill(codedOf(file))
  const rows = rowsOf(still.header.layout)
  const { coded, size } = cutRows(still, { first: 1, end: 3 })
  expect(size.height).toBe(rows[1]!.length + rows[2]!.length)
  expect((await toPixels(withCoded(file, coded, size))).height).toBe(size.height)
})

it('tiles of effort 3 share a frame, in which blocks name filter strengths', async () => {
  const pixels = await photograph(740, 1500)
  const file = await inTiles(pixels, { effort: 3, encode: encodeTile(pixels) })
  expect(rowsOf(openStill(codedOf(file)).header.layout)).toHaveLength(2)
  expect(await toPixels(file)).toMatchObject({ width: 740, height: 1500 })
})

/** A photograph over a flat area. */
const halfFlat = async (): Promise<Raster> => {
  const pixels = await photograph(740, 1500)
  pixels.data.fill(99, 740 * 768 * 3)
  return pixels
}

it('a tile whose headers differ from those of others is encoded at the lowest effort', async () => {
  const pixels = await halfFlat()
  const efforts: number[] = []
  const encode = (tile: Box, effort: number) => {
    efforts.push(effort)
    return encodeTile(pixels)(tile, effort)
  }
  const file = await inTiles(pixels, { effort: 1, encode })
  expect(new Set(efforts)).toEqual(new Set([1, 0]))
  expect(await toPixels(file)).toMatchObject({ width: 740, height: 1500 })
})

it('an image with a tile that cannot share the headers of others is not encoded in tiles, which shows before all tiles are encoded', async () => {
  const pixels = await photograph(740, 2850)
  const tops = new Set<number>()
  const encode = (tile: Box, effort: number) => {
    tops.add(tile.top)
    return fromPixels(pixels)
      .extract(tile)
      .avif({ effort, chromaSubsampling: tile.top === 0 ? '4:4:4' : '4:2:0' })
      .toBuffer()
  }
  expect(await encodeInTiles(pixels, { effort: 1, encode })).toBeUndefined()
  expect(tops.size).toBeLessThan(tilesOf(layTiles({ width: 740, height: 2850, superblock: 64 })).length)
})

it('tiles that cannot share their headers at an effort are all encoded at the lowest one', async () => {
  const pixels = await photograph(740, 1500)
  const encode = (tile: Box, effort: number) => {
    const isOther = tile.top === 0 && effort > 0
    return fromPixels(pixels)
      .extract(tile)
      .avif({ effort, bitdepth: isOther ? 10 : 8, quality: effort > 0 ? 60 : 50 })
      .toBuffer()
  }
  const tiled = await encodeInTiles(pixels, { effort: 1, encode })
  expect(tiled?.effort).toBe(0)
  expect(await toPixels(tiled!.file)).toMatchObject({ width: 740, height: 1500 })
})

it('tiles that will not end in time are encoded at a lower effort', async () => {
  const pixels = await photograph(740, 1500)
  const shares: number[] = []
  const hasTime = (share: number): boolean => {
    shares.push(share)
    return false
  }
  const tiled = await encodeInTiles(pixels, { effort: 1, encode: encodeTile(pixels), hasTime })
  expect([tiled?.effort, shares]).toEqual([0, [1]])
})

it('large opaque images are encoded in tiles at efforts 0 to 3', () => {
  const of = (width: number, channels: 3 | 4): Raster => ({ width, height: 3000, channels, data: new Uint8Array() })
  expect([isTiled(of(4000, 3), 1), isTiled(of(4000, 3), 3)]).toEqual([true, true])
  expect([isTiled(of(4000, 4), 1), isTiled(of(3000, 3), 1)]).toEqual([false, false])
  expect([isTiled(of(4000, 3), 0), isTiled(of(4000, 3), 4)]).toEqual([true, false])
})
