import { cellsOf, HALF, integrate } from './cells.ts'
import type { LumaPlane } from './luma.ts'

/** Luma units (1/16 of a sample value) of texture that halve a step's visibility. */
const TEXTURE = 16 * 2.5
/** Cells on each side in which texture hides a step: one more than a step is measured over, so that an edge just beside it counts. */
const AROUND = HALF + 1

/** The square of the second difference at a sample; at the image's edge it stands for its own neighbour. */
const bentAt = (data: Int16Array, at: number, before: number, after: number): number =>
  (data[at - before]! + data[at + after]! - 2 * data[at]!) ** 2

/**
 * How much of a step is seen at each cell corner, 0..1: 1 where the source is smooth. Texture is the root mean square of second
 * differences (across and down, at every sample of a cell's first row and column) over the 12 x 12 px around it: a gradient has none, however steep.
 */
export const visibilityOf = (source: LumaPlane): Float32Array => {
  const cells = cellsOf(source)
  const { width, height, data } = source
  const texture = new Float32Array(cells.across * cells.down)
  for (let y = 0; y < cells.down; y++) {
    for (let x = 0; x < cells.across; x++) {
      const at = 2 * y * width + 2 * x
      const across = bentAt(data, at, x > 0 ? 1 : 0, 1) + bentAt(data, at + 1, 1, 2 * x + 2 < width ? 1 : 0)
      const down =
        bentAt(data, at, y > 0 ? width : 0, width) + bentAt(data, at + width, width, 2 * y + 2 < height ? width : 0)
      texture[y * cells.across + x] = (across + down) / 4
    }
  }
  const sums = integrate(texture, cells)
  const pitch = cells.across + 1
  const visibility = new Float32Array(sums.length)
  for (let y = HALF; y <= cells.down - HALF; y++) {
    const [top, bottom] = [Math.max(0, y - AROUND), Math.min(cells.down, y + AROUND)]
    for (let x = HALF; x <= cells.across - HALF; x++) {
      const [left, right] = [Math.max(0, x - AROUND), Math.min(cells.across, x + AROUND)]
      const below = sums[bottom * pitch + right]! - sums[bottom * pitch + left]!
      const above = sums[top * pitch + right]! - sums[top * pitch + left]!
      const meanSquare = (below - above) / ((bottom - top) * (right - left))
      visibility[y * pitch + x] = 1 / (1 + meanSquare / TEXTURE ** 2)
    }
  }
  return visibility
}
