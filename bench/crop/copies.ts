import sharp from 'sharp'
import { enlarge, type Filter } from '../../src/attention/enlarge.ts'
import type { View } from '../../src/attention/view.ts'
import type { Box, Extent, Raster } from '../../src/core/image.ts'
import type { Method } from './methods.ts'

/** Sizes of the copies, as multiples of the original. */
export const COPIES = [0.5, 0.75, 1.5, 2, 3] as const

/** Catmull-Rom splines, as most programs enlarge: softer than what the service enlarges by itself. */
const SPLINE: Filter = {
  reach: 2,
  weigh: (x) => (x < 1 ? (1.5 * x - 2.5) * x * x + 1 : ((-0.5 * x + 2.5) * x - 4) * x + 2),
}

/** How far a window of a copy lies from that of the original, in shares of the side along which it can be placed. */
export interface Moved {
  readonly scale: number
  readonly by: number
  /** The shortest side of both, px. */
  readonly least: number
}

/** A copy whose pixels lie where they lay: libvips moves what it enlarges by up to half a px, so that is not asked to. */
const resize = async (image: Raster, scale: number): Promise<Raster> => {
  const { data, ...raw } = image
  const width = Math.max(1, Math.round(image.width * scale))
  const height = Math.max(1, Math.round(image.height * scale))
  if (scale > 1) return enlarge(image as View, { width, height }, SPLINE)
  const resized = await sharp(data, { raw }).resize(width, height, { fit: 'fill' }).raw().toBuffer()
  return { data: resized, width, height, channels: image.channels }
}

const apart = (a: Box, of: Extent, b: Box, and: Extent): number =>
  Math.max(Math.abs(a.left / of.width - b.left / and.width), Math.abs(a.top / of.height - b.top / and.height))

/** Looks at smaller and larger copies of an image, and compares their windows with its own. */
export const compareCopies = async (
  image: Raster,
  method: Method,
  shapes: Readonly<Record<string, Extent>>,
): Promise<Moved[]> => {
  const place = await method(image)
  const moved: Moved[] = []
  for (const scale of COPIES) {
    const copy = await resize(image, scale)
    const placeCopy = await method(copy)
    const least = Math.min(image.width, image.height, copy.width, copy.height)
    for (const shape of Object.values(shapes))
      moved.push({ scale, least, by: apart(await place(shape), image, await placeCopy(shape), copy) })
  }
  return moved
}

/** With room for the rounding of sums. */
const ONE_PERCENT = 0.01 + 1e-9

/** px of a side from which on a picture is no thumbnail. */
const LARGE = 400

/** Share of windows that moved by at most 1 % of the side, and the median. */
const summarise = (moves: readonly number[]): string => {
  if (moves.length === 0) return '-'
  const sorted = moves.toSorted((a, b) => a - b)
  const steady = (100 * moves.filter((by) => by <= ONE_PERCENT).length) / moves.length
  return `${steady.toFixed(1)} % of ${moves.length} (median ${(100 * sorted[sorted.length >> 1]!).toFixed(2)} %)`
}

/** How far windows moved at each scale, and in all. */
export const summariseMoves = (moved: readonly Moved[]): string =>
  [
    ...COPIES.map((scale) => {
      const moves = moved.filter((one) => one.scale === scale).map(({ by }) => by)
      return `${scale} x: ${summarise(moves)}`
    }),
    `all: ${summarise(moved.map(({ by }) => by))}`,
    `where all sides have at least ${LARGE} px: ${summarise(moved.filter(({ least }) => least >= LARGE).map(({ by }) => by))}`,
  ].join(', ')
