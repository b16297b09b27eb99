import { floatsAt } from '../kernel.ts'
import type { TransformedImage } from '../quantiser/transformed-image.ts'

/** Steps of luma's two lowest AC coefficients. */
export interface SlopeSteps {
  readonly across: number
  readonly down: number
}

/** Mean square of what is neither DC nor one of the five lowest AC, in coefficients, below which a block is smooth. */
const SMOOTH = 1
const FIRST_OTHER = 6
/** The trellis drops what is below this part of a step. */
const DROPPED_BELOW = 0.65
/** Side in blocks of the cells that squares of 2 x 2 are made of, each two cells wide and high. */
const CELL = 2

/** The steeper its slope, the more a block counts that loses it: the cube, so that the mean of a square is that of its edges. */
const lossOf = (slope: number, step: number): number => (slope < DROPPED_BELOW * step ? slope * slope * slope : 0)

const isSmooth = (coefficients: Float32Array, block: number): boolean => {
  let rest = 0
  for (let k = FIRST_OTHER; k < 64 && rest < 64 * SMOOTH; k++)
    rest += coefficients[block + k]! * coefficients[block + k]!
  return rest < 64 * SMOOTH
}

interface Cells {
  readonly across: number
  readonly down: number
  readonly losses: Float64Array
  readonly blocks: Float64Array
}

const cellsOf = ({ kernel, frame, dct }: SlopedImage, steps: SlopeSteps): Cells => {
  const { widthInBlocks, heightInBlocks, stride } = frame.components[0]!
  const coefficients = floatsAt(kernel, dct[0]!, stride * heightInBlocks * 64)
  const [across, down] = [Math.ceil(widthInBlocks / CELL), Math.ceil(heightInBlocks / CELL)]
  const [losses, blocks] = [new Float64Array(across * down), new Float64Array(across * down)]
  for (let y = 0; y < heightInBlocks; y++)
    for (let x = 0; x < widthInBlocks; x++) {
      const block = (y * stride + x) * 64
      const cell = Math.floor(y / CELL) * across + Math.floor(x / CELL)
      const loss =
        lossOf(Math.abs(coefficients[block + 1]!), steps.across) +
        lossOf(Math.abs(coefficients[block + 2]!), steps.down)
      blocks[cell]! += 1
      if (loss > 0 && isSmooth(coefficients, block)) losses[cell]! += loss
    }
  return { across, down, losses, blocks }
}

/** Sum over the square of 2 x 2 cells from `x`, `y` on; beyond the edge the last ones repeat. */
const sumAt = (values: Float64Array, { across, down }: Cells, x: number, y: number): number => {
  let sum = 0
  for (let row = y; row < y + 2; row++)
    for (let column = x; column < x + 2; column++)
      sum += values[Math.min(row, down - 1) * across + Math.min(column, across - 1)]!
  return sum
}

type SlopedImage = Pick<TransformedImage, 'kernel' | 'frame' | 'dct'>

/**
 * The slope, as the lowest AC coefficient of luma, that the worst square of 32 px would lose by these steps in its smooth blocks: 8 of it are
 * about three code values across a block, which become an edge.
 */
export const worstLostSlope = (image: SlopedImage, steps: SlopeSteps): number => {
  const cells = cellsOf(image, steps)
  let worst = 0
  for (let y = 0; y < Math.max(1, cells.down - 1); y++)
    for (let x = 0; x < Math.max(1, cells.across - 1); x++) {
      const loss = sumAt(cells.losses, cells, x, y)
      if (loss > 0) worst = Math.max(worst, loss / sumAt(cells.blocks, cells, x, y))
    }
  return Math.cbrt(worst)
}
