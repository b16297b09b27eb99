import type { Box, Extent, Raster } from '../../core/image.ts'
import { REGION_SIDE } from '../../metric/ssimulacra2/scores.ts'

/** Of this many rows one is measured. */
const ROW_STRIDE = 8
/** Of this many columns one is measured. */
const COLUMN_STRIDE = 2
/** Code values between columns looked at from which there is an edge. */
const FAINTEST_EDGE = 48
/** Columns of a run that is judged as one slope. */
const RUN = 16
/** Code values by which a slope rises at least in a run. */
const FLATTEST_SLOPE = 2
/** Code values by which it rises at most. */
const STEEPEST_SLOPE = 16
/** Code values that the steps of a slope may go back and forth. */
const UNEVEN = 3

/** Features of a tile that rise with its bytes. */
export interface TileFeatures {
  readonly box: Box
  /** Sum of differences between neighbours. */
  readonly activity: number
  /** Neighbours that differ much. */
  readonly edges: number
  /** Runs of pixels that rise or fall evenly and slowly: where contours show first. */
  readonly slopes: number
  /** Sum of differences of red less green, and of blue less green. */
  readonly chroma: number
}

/** Whether the run of columns that begins at a sample rises or falls slowly, without going back and forth. */
const isSlope = (data: Uint8Array, from: number, step: number): boolean => {
  const rise = Math.abs(data[from + (RUN / COLUMN_STRIDE) * step]! - data[from]!)
  if (rise < FLATTEST_SLOPE || rise > STEEPEST_SLOPE) return false
  let steps = 0
  for (let at = 1; at <= RUN / COLUMN_STRIDE; at++)
    steps += Math.abs(data[from + at * step]! - data[from + (at - 1) * step]!)
  return steps <= rise + UNEVEN
}

const measureTile = ({ data, width, channels }: Raster, box: Box): TileFeatures => {
  let [activity, edges, slopes, chroma] = [0, 0, 0, 0]
  const step = COLUMN_STRIDE * channels
  const [green, blue] = channels >= 3 ? [1, 2] : [0, 0]
  for (let y = box.top; y < box.top + box.height; y += ROW_STRIDE) {
    const end = (y * width + box.left + box.width) * channels
    for (let at = (y * width + box.left) * channels + step; at < end; at += step) {
      const lightness = data[at + green]! - data[at - step + green]!
      const red = data[at]! - data[at - step]! - lightness
      const difference = Math.abs(lightness)
      activity += difference
      chroma += Math.abs(red) + Math.abs(data[at + blue]! - data[at - step + blue]! - lightness)
      if (difference >= FAINTEST_EDGE) edges += 1
    }
    for (let at = (y * width + box.left) * channels + green; at + RUN * channels < end; at += RUN * channels)
      if (isSlope(data, at, step)) slopes += 1
  }
  return { box, activity, edges, slopes, chroma }
}

/** The features of boxes within an image. */
export const tileFeatures = (pixels: Raster, boxes: readonly Box[]): readonly TileFeatures[] =>
  boxes.map((box) => measureTile(pixels, box))

/** An image's whole tiles, in rows. Partial tiles at the right and lower edge are left out. */
export const wholeTiles = ({ width, height }: Extent): readonly Box[] => {
  const across = Math.floor(width / REGION_SIDE)
  return Array.from({ length: across * Math.floor(height / REGION_SIDE) }, (_, at) => ({
    left: (at % across) * REGION_SIDE,
    top: Math.floor(at / across) * REGION_SIDE,
    width: REGION_SIDE,
    height: REGION_SIDE,
  }))
}

/** Px along the right and the lower edge in which the last tiles of the measure for contours lie. */
const RIM = 64

/** Boxes along the right and the lower edge. */
export const rimBoxes = ({ width, height }: Extent): readonly Box[] => [
  ...Array.from({ length: Math.floor(height / REGION_SIDE) }, (_, at) => ({
    left: width - RIM,
    top: at * REGION_SIDE,
    width: RIM,
    height: REGION_SIDE,
  })),
  ...Array.from({ length: Math.floor(width / REGION_SIDE) }, (_, at) => ({
    left: at * REGION_SIDE,
    top: height - RIM,
    width: REGION_SIDE,
    height: RIM,
  })),
]
