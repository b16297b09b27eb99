/**
 * False steps: where a candidate's luma error jumps along a line of 8 px or more, as at the edge of a band or a block. At each corner of the cells
 * the mean error of 8 x 4 px on one side is set against that on the other, across and down. What noise would show by chance is
 * taken off, and what the reference's own texture hides. Dither averages out; a smooth change of tone is no step.
 */
import { all } from '../common/broadcast'
import {
  ERROR_ROWS, TILE_BYTES, TILE_CELLS, candidateRow, cellBytes, errors, noises, referenceRow, ringRow, scratchRow, steps, tilesAcross,
  tilesDown, visibilityRow,
} from './layout'

/** Cells on either side that a step is measured over. */
export const HALF: i32 = 2
/** Samples on one side of a step. */
const SIDE_PIXELS: f64 = 32
const perSample = memory.data<f32>([<f32>(1.0 / SIDE_PIXELS)])
/** So many times what noise makes in the mean is taken off, four: what remains of noise is a thirtieth. */
const noiseShare = memory.data<f32>([<f32>(4.0 / (16.0 * SIDE_PIXELS))])
const chessboard = memory.data<i16>([1, -1], 4)

/** Row y of cells, whose two rows of luma are there: each cell's error (sum over 4 px), and the square of what only a chessboard of single px holds. */
export function errorRow(y: i32): void {
  const was0 = referenceRow(2 * y)
  const was1 = referenceRow(2 * y + 1)
  const is0 = candidateRow(2 * y)
  const is1 = candidateRow(2 * y + 1)
  const error = ringRow(errors, ERROR_ROWS, y)
  const noise = ringRow(noises, ERROR_ROWS, y)
  const signs = v128.load_splat<i32>(chessboard)
  for (let x: usize = 0; x < cellBytes; x += 16) {
    const upper = i16x8.sub(v128.load(is0 + x), v128.load(was0 + x))
    const lower = i16x8.sub(v128.load(is1 + x), v128.load(was1 + x))
    const board = f32x4.convert_i32x4_s(i32x4.dot_i16x8_s(i16x8.sub(upper, lower), signs))
    v128.store(error + x, f32x4.convert_i32x4_s(i32x4.extadd_pairwise_i16x8_s(i16x8.add(upper, lower))))
    v128.store(noise + x, f32x4.mul(board, board))
  }
}

/** The errors of the two rows of cells above corner row y in the first scratch row, those below it in the second, the noise of all four in the third. */
function addRows(y: i32): void {
  const toUpper = scratchRow(0)
  const toLower = scratchRow(1)
  const toNoise = scratchRow(2)
  const e0 = ringRow(errors, ERROR_ROWS, y - 2)
  const e1 = ringRow(errors, ERROR_ROWS, y - 1)
  const e2 = ringRow(errors, ERROR_ROWS, y)
  const e3 = ringRow(errors, ERROR_ROWS, y + 1)
  const n0 = ringRow(noises, ERROR_ROWS, y - 2)
  const n1 = ringRow(noises, ERROR_ROWS, y - 1)
  const n2 = ringRow(noises, ERROR_ROWS, y)
  const n3 = ringRow(noises, ERROR_ROWS, y + 1)
  for (let x: usize = 0; x < cellBytes; x += 16) {
    v128.store(toUpper + x, f32x4.add(v128.load(e0 + x), v128.load(e1 + x)))
    v128.store(toLower + x, f32x4.add(v128.load(e2 + x), v128.load(e3 + x)))
    const upper = f32x4.add(v128.load(n0 + x), v128.load(n1 + x))
    v128.store(toNoise + x, f32x4.add(upper, f32x4.add(v128.load(n2 + x), v128.load(n3 + x))))
  }
}

@inline
function total(v: v128): f64 {
  const pairs = f32x4.add(v, v128.shuffle<f32>(v, v, 2, 3, 0, 1))
  return <f64>(f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1))
}

@inline
function addTo(at: usize, v: v128): void {
  store<f64>(at, load<f64>(at) + total(v))
}

/** What lies left and right of four corners. */
@inline
function leftOf(at: usize): v128 {
  return f32x4.add(v128.load(at - 8), v128.load(at - 4))
}

@inline
function rightOf(at: usize): v128 {
  return f32x4.add(v128.load(at), v128.load(at + 4))
}

/** Adds the steps at row y of corners, between x bytes and others, to a tile's sums. */
function addSteps(y: i32, from: usize, until: usize, to: usize): void {
  const seenRow = visibilityRow(y)
  const upper = scratchRow(0)
  const lower = scratchRow(1)
  const noise = scratchRow(2)
  const zero = f32x4.splat(0)
  let squares = zero
  let columns = zero
  let rows = zero
  for (let x = from; x < until; x += 16) {
    const seen = v128.load(seenRow + x)
    if (!v128.any_true(seen)) continue
    const upperLeft = leftOf(upper + x)
    const upperRight = rightOf(upper + x)
    const lowerLeft = leftOf(lower + x)
    const lowerRight = rightOf(lower + x)
    const falling = f32x4.sub(upperLeft, lowerRight)
    const rising = f32x4.sub(lowerLeft, upperRight)
    const byColumn = f32x4.mul(f32x4.add(falling, rising), all(perSample))
    const byRow = f32x4.mul(f32x4.sub(falling, rising), all(perSample))
    const chance = f32x4.mul(f32x4.add(leftOf(noise + x), rightOf(noise + x)), all(noiseShare))
    const steep = f32x4.add(f32x4.mul(byColumn, byColumn), f32x4.mul(byRow, byRow))
    const square = f32x4.pmax(zero, f32x4.sub(steep, chance))
    squares = f32x4.add(squares, f32x4.mul(f32x4.mul(square, seen), seen))
    columns = f32x4.add(columns, f32x4.mul(byColumn, seen))
    rows = f32x4.add(rows, f32x4.mul(byRow, seen))
  }
  addTo(to, squares)
  addTo(to + 8, columns)
  addTo(to + 16, rows)
}

/** Row y of corners; the two rows of cells above it and below it are there. */
export function settleSteps(y: i32): void {
  addRows(y)
  const row = min(tilesDown - 1, y / TILE_CELLS) * tilesAcross
  const side = <usize>TILE_CELLS << 2
  for (let tile = 0; tile < tilesAcross; tile++) {
    const from = <usize>tile * side
    addSteps(y, from, tile == tilesAcross - 1 ? cellBytes : from + side, steps + <usize>(row + tile) * TILE_BYTES)
  }
}
