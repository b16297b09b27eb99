import type { LumaPlane } from './luma.ts'

/** A grid of cells of 2 x 2 px. */
export interface Cells {
  readonly across: number
  readonly down: number
}

/** What is left over at the right and bottom is dropped. */
export const cellsOf = ({ width, height }: LumaPlane): Cells => ({ across: width >> 1, down: height >> 1 })

/** Half of the length along which a step is averaged, in cells; and how far either side reaches, in cells. */
export const HALF = 2

/** Sums over all cells above and left; one more each way than there are cells. */
export const integrate = (values: Float32Array, { across, down }: Cells): Float64Array => {
  const pitch = across + 1
  const sums = new Float64Array(pitch * (down + 1))
  for (let y = 0; y < down; y++) {
    let row = 0
    for (let x = 0; x < across; x++) {
      row += values[y * across + x]!
      sums[(y + 1) * pitch + x + 1] = sums[y * pitch + x + 1]! + row
    }
  }
  return sums
}
