import type { Box, Extent } from '../../core/image.ts'

/** Pixels of a frame as one number each: RGBA in one word, or the number of a colour. */
export type PixelCells = Uint32Array | Uint8Array

/** The change from one frame to the next. */
export interface Change {
  readonly box: Box
  readonly cells: PixelCells
  /** PixelCells that stay are holes, to be laid over what is there; else all of the box is replaced. */
  readonly over: boolean
}

const alike = (cells: PixelCells, length: number): PixelCells =>
  cells instanceof Uint32Array ? new Uint32Array(length) : new Uint8Array(length)

/** The smallest rectangle that holds every difference of two frames; undefined when they are the same everywhere. */
export const changedBox = (before: PixelCells, after: PixelCells, { width, height }: Extent): Box | undefined => {
  let [left, right, top, bottom] = [width, -1, height, -1]
  for (let y = 0; y < height; y++) {
    const row = y * width
    let x = 0
    while (x < width && before[row + x] === after[row + x]) x++
    if (x === width) continue
    if (top === height) top = y
    bottom = y
    left = Math.min(left, x)
    let last = width - 1
    while (before[row + last] === after[row + last]) last--
    right = Math.max(right, last)
  }
  return right < 0 ? undefined : { left, top, width: right - left + 1, height: bottom - top + 1 }
}

/** The cells of a rectangle. */
export const cutCells = (cells: PixelCells, width: number, box: Box): PixelCells => {
  const cut = alike(cells, box.width * box.height)
  for (let y = 0; y < box.height; y++) {
    const from = (box.top + y) * width + box.left
    cut.set(cells.subarray(from, from + box.width), y * box.width)
  }
  return cut
}

/**
 * The same, with a hole wherever nothing changes; undefined when a cell that changes is not opaque, so that laying it over
 * would let the old one through.
 */
export const cutHoles = (
  before: PixelCells,
  after: PixelCells,
  { width, box, hole, isOpaque }: HoleCut,
): PixelCells | undefined => {
  const cut = alike(after, box.width * box.height)
  for (let y = 0; y < box.height; y++) {
    for (let x = 0; x < box.width; x++) {
      const at = (box.top + y) * width + box.left + x
      const cell = after[at]!
      if (before[at] === cell) cut[y * box.width + x] = hole
      else if (isOpaque(cell)) cut[y * box.width + x] = cell
      else return undefined
    }
  }
  return cut
}

interface HoleCut {
  readonly width: number
  readonly box: Box
  readonly hole: number
  readonly isOpaque: (cell: number) => boolean
}
