import type { Box, Raster } from '../core/image.ts'

/**
 * The box inside a border of solid colour (§2, trim=border). Outer rows and columns are removed if all their pixels equal the top-left
 * corner exactly, including alpha and hidden colour. undefined when nothing is removed. A uniform image stays as it is.
 */
export const findBorder = (pixels: Raster): Box | undefined => {
  const { width, height } = pixels
  const rowIs = (y: number): boolean => isCornerColour(pixels, { from: y * width, step: 1, count: width })
  const top = countWhile(height, rowIs)
  if (top === height) return undefined
  const bottom = height - countWhile(height, (back) => rowIs(height - 1 - back))
  // Only the remaining rows of a column count.
  const columnIs = (x: number): boolean =>
    isCornerColour(pixels, { from: top * width + x, step: width, count: bottom - top })
  const left = countWhile(width, columnIs)
  const right = width - countWhile(width, (back) => columnIs(width - 1 - back))
  const box = { left, top, width: right - left, height: bottom - top }
  return box.width === width && box.height === height ? undefined : box
}

/** Copies a box of an image. */
export const cutOut = (pixels: Raster, box: Box): Raster => {
  const { channels, data } = pixels
  const cut = new Uint8Array(box.width * box.height * channels)
  for (let row = 0; row < box.height; row++) {
    const from = ((box.top + row) * pixels.width + box.left) * channels
    cut.set(data.subarray(from, from + box.width * channels), row * box.width * channels)
  }
  return { width: box.width, height: box.height, channels, data: cut }
}

/** Pixels of a row or a column, by index. */
interface Run {
  readonly from: number
  readonly step: number
  readonly count: number
}

/** Compares samples in place. A copy as words would take 400 MB for the largest image. */
const isCornerColour = ({ data, channels }: Raster, { from, step, count }: Run): boolean => {
  const end = (from + step * count) * channels
  for (let at = from * channels; at < end; at += step * channels) {
    for (let channel = 0; channel < channels; channel++) if (data[at + channel] !== data[channel]) return false
  }
  return true
}

const countWhile = (most: number, holds: (index: number) => boolean): number => {
  let count = 0
  while (count < most && holds(count)) count++
  return count
}
