import type { AnyRaster, Box } from '../../core/image.ts'
import type { Density } from '../../core/units.ts'
import { CONTOUR_SIDE } from './contour.ts'

/** A part of an image that is looked at by itself: `held` px are fed to the kernel, and those of the rows `from` to `to` of it count. */
export interface MeasuredPiece {
  readonly held: Box
  readonly from: number
  readonly to: number
}

/** Parts that count whole, each by itself. */
export const piecesOf = (boxes: readonly Box[]): readonly MeasuredPiece[] =>
  boxes.map((held) => ({ held, from: 0, to: held.height }))

/**
 * Strips of whole rows of tiles, of about `stripPixels`, with one more row of tiles on both sides, which is further than any filter reaches:
 * together they give what the whole gives. One piece where the image is no larger.
 */
export const stripsOf = (
  { width, height }: Pick<AnyRaster, 'width' | 'height'>,
  density: Density,
  stripPixels: number,
): readonly MeasuredPiece[] => {
  const side = CONTOUR_SIDE * density
  const tileRows = Math.max(1, Math.floor(height / side))
  const count = Math.min(tileRows, Math.max(1, Math.round((width * height) / stripPixels)))
  return Array.from({ length: count }, (_, at) => {
    const [first, beyond] = [Math.floor((at * tileRows) / count), Math.floor(((at + 1) * tileRows) / count)]
    const top = Math.max(0, first - 1) * side
    const bottom = beyond >= tileRows - 1 ? height : (beyond + 1) * side
    const end = beyond === tileRows ? height : beyond * side
    return { held: { left: 0, top, width, height: bottom - top }, from: first * side - top, to: end - top }
  })
}

/** A box of an image; its own samples, not copied, where it has all columns. */
export const cut = ({ data, width, channels }: AnyRaster, box: Box): AnyRaster => {
  const size = { width: box.width, height: box.height, channels }
  const stride = width * channels
  if (box.width === width) return { ...size, data: data.subarray(box.top * stride, (box.top + box.height) * stride) }
  const row = box.width * channels
  const copy = new Uint8Array(row * box.height)
  for (let y = 0; y < box.height; y++) {
    const from = (box.top + y) * stride + box.left * channels
    copy.set(data.subarray(from, from + row), y * row)
  }
  return { ...size, data: copy }
}
