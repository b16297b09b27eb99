import { cellsOf, HALF, integrate } from './cells.ts'
import type { LumaPlane } from './luma.ts'

/** Side of a tile in cells: 32 px. */
export const TILE_CELLS = 16
/** Samples (px) on one side of a step. */
const SIDE_PIXELS = 32
/** Scales a tile's mean square so that one straight step across it counts its own height: a step is felt within 4 px of it, on the mean by a third. */
const STEP_GAIN = 12
/** Where less of a step is seen, it is not looked for: texture hides it. */
const LEAST_VISIBLE = 0.1
/** So many times what noise makes in the mean is taken off: what remains of noise is a thirtieth. */
const NOISE_FACTOR = 4
const NOISE_SHARE = NOISE_FACTOR / (4 * HALF * HALF * SIDE_PIXELS)

/**
 * False steps: where a candidate's luma error jumps along a line of 8 px or more, as at the edge of a band or a block. At each corner of the
 * cells the mean error of 8 x 4 px on one side is set against that on the other, across and down. What noise would show by chance is taken
 * off, and what the source's own texture hides. Dither averages out; a smooth change of tone is no step.
 */

/** False steps of the worst tile, in 8-bit sample values, and the index of that tile. */
export interface WorstStep {
  readonly step: number
  readonly tile: number
}

/** How many tiles a grid of cells has along one side; the last one takes the rest. */
export const tilesAlong = (cells: number): number => Math.max(1, Math.floor(cells / TILE_CELLS))

/** The error of each cell (sum over its 4 px), and what noise alone makes of it: the square of what only a chessboard of single px holds. */
const errorsOf = (source: LumaPlane, candidate: LumaPlane): { error: Float32Array; noise: Float32Array } => {
  const { across, down } = cellsOf(source)
  const error = new Float32Array(across * down)
  const noise = new Float32Array(across * down)
  const { width } = source
  for (let y = 0; y < down; y++) {
    for (let x = 0, at = 2 * y * width; x < across; x++, at += 2) {
      const a = candidate.data[at]! - source.data[at]!
      const b = candidate.data[at + 1]! - source.data[at + 1]!
      const c = candidate.data[at + width]! - source.data[at + width]!
      const d = candidate.data[at + width + 1]! - source.data[at + width + 1]!
      error[y * across + x] = a + b + c + d
      noise[y * across + x] = (a - b - c + d) ** 2
    }
  }
  return { error, noise }
}

/**
 * The worst of the tiles (each: sum of squared steps, sums of steps across and down), as the height of one straight step.
 * What all places of a tile have in common is a slope, and no step.
 */
const largestOf = (sums: Float64Array): WorstStep => {
  const places = TILE_CELLS ** 2
  const worst = { square: 0, tile: 0 }
  for (let tile = 0; tile * 3 < sums.length; tile++) {
    const slope = (sums[tile * 3 + 1]! ** 2 + sums[tile * 3 + 2]! ** 2) / places
    const square = sums[tile * 3]! - slope
    if (square > worst.square) Object.assign(worst, { square, tile })
  }
  return { step: Math.sqrt((worst.square * STEP_GAIN) / places) / 16, tile: worst.tile }
}

/** The false steps of a candidate's worst tile, where the source lets them be seen (`visibilityOf` the source). */
export const worstStep = (source: LumaPlane, candidate: LumaPlane, visibility: Float32Array): WorstStep => {
  const cells = cellsOf(source)
  const { across, down } = cells
  const { error, noise } = errorsOf(source, candidate)
  const errors = integrate(error, cells)
  const noises = integrate(noise, cells)
  const pitch = across + 1
  const tiles = tilesAlong(across)
  const sums = new Float64Array(tiles * tilesAlong(down) * 3)
  for (let y = HALF; y <= down - HALF; y++) {
    const row = Math.min(tilesAlong(down) - 1, Math.floor(y / TILE_CELLS)) * tiles
    const [top, middle, bottom] = [(y - HALF) * pitch, y * pitch, (y + HALF) * pitch]
    for (let x = HALF; x <= across - HALF; x++) {
      const seen = visibility[middle + x]!
      if (seen < LEAST_VISIBLE) continue
      const left = x - HALF
      const right = x + HALF
      const topLeft = errors[top + left]!
      const topRight = errors[top + right]!
      const bottomLeft = errors[bottom + left]!
      const whole = errors[bottom + right]! - bottomLeft - topRight + topLeft
      const leftHalf = errors[bottom + x]! - bottomLeft - errors[top + x]! + topLeft
      const upperHalf = errors[middle + right]! - errors[middle + left]! - topRight + topLeft
      const byColumn = (2 * leftHalf - whole) / SIDE_PIXELS
      const byRow = (2 * upperHalf - whole) / SIDE_PIXELS
      const chance =
        (noises[bottom + right]! - noises[bottom + left]! - noises[top + right]! + noises[top + left]!) * NOISE_SHARE
      const square = Math.max(0, byColumn * byColumn + byRow * byRow - chance)
      const to = (row + Math.min(tiles - 1, Math.floor(x / TILE_CELLS))) * 3
      sums[to]! += square * seen * seen
      sums[to + 1]! += byColumn * seen
      sums[to + 2]! += byRow * seen
    }
  }
  return largestOf(sums)
}
