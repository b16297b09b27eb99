import { cellsOf, HALF, integrate } from './cells.ts'
import type { LumaPlane } from './luma.ts'

/** Luma units (1/16 of a sample value) of texture that halve a step's visibility. */
const TEXTURE = 16 * 2

/**
 * How much of a step is seen at each cell corner, 0..1: 1 where the source is smooth. Texture is the mean size of second
 * differences (across and down) over the 8 x 8 px around it: a gradient has none, however steep.
 */
export const visibilityOf = (source: LumaPlane): Float32Array => {
  const cells = cellsOf(source)
  const { width, data } = source
  const texture = new Float32Array(cells.across * cells.down)
  for (let y = 0; y < cells.down; y++) {
    for (let x = 0; x < cells.across; x++) {
      const at = 2 * y * width + 2 * x
      const left = x > 0 ? at - 1 : at
      const above = y > 0 ? at - width : at
      const [a, b, c] = [data[at]!, data[at + 1]!, data[at + width]!]
      texture[y * cells.across + x] = (Math.abs(data[left]! + b - 2 * a) + Math.abs(data[above]! + c - 2 * a)) / 2
    }
  }
  const sums = integrate(texture, cells)
  const pitch = cells.across + 1
  const visibility = new Float32Array(sums.length)
  for (let y = HALF; y <= cells.down - HALF; y++) {
    for (let x = HALF; x <= cells.across - HALF; x++) {
      const top = (y - HALF) * pitch
      const bottom = (y + HALF) * pitch
      const sum = sums[bottom + x + HALF]! - sums[bottom + x - HALF]! - sums[top + x + HALF]! + sums[top + x - HALF]!
      const mean = sum / (4 * HALF * HALF)
      visibility[y * pitch + x] = 1 / (1 + (mean / TEXTURE) ** 2)
    }
  }
  return visibility
}
