import type { Box, Extent, Raster } from '../../core/image.ts'
import { JPEG } from '../../core/jpeg-numbers.ts'
import { REGION_SIDE } from '../../metric/ssimulacra2/scores.ts'
import { chooseTiles, highest, stratified } from './choose-tiles.ts'
import { rimBoxes, tileFeatures, wholeTiles } from './tile-features.ts'

/** Images of more pixels are searched on a sample: below, the search of the whole takes less than 2 s. */
const SAMPLED_FROM = 4.2e6
/** Tiles of a sample, across and down. */
interface Shape {
  readonly across: number
  readonly down: number
}

/** 2.1 megapixels. */
const USUAL: Shape = { across: 8, down: 4 }
/** 0.5 megapixels: two drafts of it take half as long as one of 2 megapixels. */
const QUICK: Shape = { across: 4, down: 2 }
/** A quick sample stands for at least this number of times its tiles. */
const QUICK_FROM = 2

/** Size of a sample in px. */
export const SAMPLE_SIZE: Extent = { width: USUAL.across * REGION_SIDE, height: USUAL.down * REGION_SIDE }

const tilesOf = ({ across, down }: Shape): number => across * down

const wholeTilesIn = ({ width, height }: Extent): number =>
  Math.floor(width / REGION_SIDE) * Math.floor(height / REGION_SIDE)

/** Whether the whole image has tiles enough, and pixels too many to be searched itself. */
export const isSampled = (size: Extent): boolean =>
  size.width * size.height > SAMPLED_FROM && wholeTilesIn(size) >= tilesOf(USUAL)

/** Tiles of a large image as one image, and where each lies in it but for its margins: at their seams there are colours and steps that the image has not. */
export interface Sample {
  readonly pixels: Raster
  readonly interiors: readonly Box[]
}

const positionOf = ({ across }: Shape, at: number) => ({
  left: (at % across) * REGION_SIDE,
  top: Math.floor(at / across) * REGION_SIDE,
})

/** The part of a tile's side that counts: without margins, and within the image. */
const interiorAlong = (begin: number, position: number, length: number) => ({
  from: position + JPEG.mcuSide,
  size: Math.min(REGION_SIDE - 2 * JPEG.mcuSide, length - begin - JPEG.mcuSide),
})

const interiorOf = ({ width, height }: Extent, box: Box, { left, top }: Pick<Box, 'left' | 'top'>): Box => {
  const [x, y] = [interiorAlong(box.left, left, width), interiorAlong(box.top, top, height)]
  return { left: x.from, top: y.from, width: x.size, height: y.size }
}

/**
 * Where a tile begins along one side so that its interior holds an artefact which begins at `at`, in phase with the tiles of 32 px that contours are
 * measured in. At the image's edges its margins lie outside of the image.
 */
const beginFor = (at: number, length: number): number => {
  const last = Math.ceil(length / JPEG.mcuSide) * JPEG.mcuSide + JPEG.mcuSide - REGION_SIDE
  return Math.min(Math.max(-JPEG.mcuSide, at - (REGION_SIDE >> 1) + JPEG.mcuSide), last)
}

const tileAround = ({ left, top }: Box, { width, height }: Extent): Box => ({
  left: beginFor(left, width),
  top: beginFor(top, height),
  width: REGION_SIDE,
  height: REGION_SIDE,
})

/** Sample value that margins fade to. */
const GREY = 128
/** Share of a tile's own colour by the distance from its beginning, in px: margins fade out, so that seams have no edges, which no encoder keeps. */
const OWN = Float64Array.from({ length: REGION_SIDE }, (_, at) =>
  Math.min(1, (Math.min(at, REGION_SIDE - 1 - at) + 0.5) / JPEG.mcuSide),
)

/** Copies a tile; outside of the image its edges are repeated, as encoders repeat them. */
const copyTile = (
  { data, width, height, channels }: Raster,
  box: Box,
  sample: Raster,
  { left, top }: Pick<Box, 'left' | 'top'>,
): void => {
  const column = (x: number): number => Math.min(width - 1, Math.max(0, box.left + x))
  for (let y = 0; y < REGION_SIDE; y++) {
    const row = Math.min(height - 1, Math.max(0, box.top + y)) * width
    const to = ((top + y) * sample.width + left) * channels
    for (let x = 0; x < REGION_SIDE; x++) {
      const from = (row + column(x)) * channels
      const own = Math.min(OWN[x]!, OWN[y]!)
      for (let c = 0; c < 3; c++) sample.data[to + x * channels + c] = GREY + (data[from + c]! - GREY) * own
      if (channels === 4) sample.data[to + x * channels + 3] = data[from + 3]!
    }
  }
}

/** Tiles at the right and the lower edge, outside of all whole tiles. Without them a mosaic of 12 megapixels takes 1.35 times the bytes, one of 24 takes 0.94. */
const RIM_TILES = 4

const boxesOf = (pixels: Raster, count: number): readonly Box[] => {
  const rim = highest(tileFeatures(pixels, rimBoxes(pixels)), 'slopes', RIM_TILES).map(({ box }) => box)
  const around = rim.map((box) => tileAround(box, pixels))
  const usual = chooseTiles(tileFeatures(pixels, wholeTiles(pixels)), count - around.length)
  return [...around, ...usual.map(({ box }) => box)]
}

const sampleIn = (shape: Shape, pixels: Raster, boxes: readonly Box[]): Sample => {
  const { channels } = pixels
  const [width, height] = [shape.across * REGION_SIDE, shape.down * REGION_SIDE]
  const sample: Raster = { data: new Uint8Array(width * height * channels), width, height, channels }
  for (const [at, box] of boxes.entries()) copyTile(pixels, box, sample, positionOf(shape, at))
  return { pixels: sample, interiors: boxes.map((box, at) => interiorOf(pixels, box, positionOf(shape, at))) }
}

/** A sample of 2 megapixels whose search stands for that of the whole; undefined for images that need none. */
export const sampleOf = (pixels: Raster): Sample | undefined =>
  isSampled(pixels) ? sampleIn(USUAL, pixels, boxesOf(pixels, tilesOf(USUAL))) : undefined

/** A sample of 0.5 megapixels for a setting that is needed at once, without the extremes: few tiles would be these alone. Undefined for images below a megapixel. */
export const quickSampleOf = (pixels: Raster): Sample | undefined => {
  if (wholeTilesIn(pixels) < QUICK_FROM * tilesOf(QUICK)) return undefined
  const tiles = stratified(tileFeatures(pixels, wholeTiles(pixels)), tilesOf(QUICK))
  return sampleIn(
    QUICK,
    pixels,
    tiles.map(({ box }) => box),
  )
}
