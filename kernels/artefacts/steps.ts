/**
 * False steps: where a candidate's luma error jumps along a line of 8 px or more, as at the edge of a band or a block. At each corner of the cells
 * the mean error of 8 x 4 px on one side is set against that on the other, across and down. What noise would show by chance is
 * taken off, and what the reference's own texture hides. Dither averages out; a smooth change of tone is no step.
 */
import { all } from '../common/broadcast'
import { storePair } from '../common/pairs'
import {
  ERROR_ROWS, LANE_BYTES, TILE_BYTES, TILE_CELLS, candidateRow, cellBytes, errors, laneSums, noises, referenceRow, ringRow, scratchRow, steps,
  tilesAcross, tilesDown, visibilityRow,
} from './layout'

/** Cells on either side that a step is measured over. */
export const HALF: i32 = 2
const HALF_BYTES: usize = 8
/** Samples on one side of a step. */
const SIDE_PIXELS: f64 = 32
const perSample = memory.data<f32>([<f32>(1.0 / SIDE_PIXELS)])
/** Four times the mean energy of noise is subtracted: a thirtieth of the noise remains. */
const noiseShare = memory.data<f32>([<f32>(4.0 / (16.0 * SIDE_PIXELS))])
const even = memory.data<i16>([1, 1], 4)
const chessboard = memory.data<i16>([1, -1], 4)

/** How far four cells' upper or lower px are off. */
@inline
function offBy(is: usize, was: usize, k: usize): v128 {
  return i16x8.sub(v128.load(is + k), v128.load(was + k))
}

/** Sums of neighbouring pairs, each weighed by two whole numbers. */
@inline
function pairsOf(v: v128, weights: usize): v128 {
  return f32x4.convert_i32x4_s(i32x4.dot_i16x8_s(v, all(weights)))
}

/** Row y of cells, whose two rows of luma are there: each cell's error (sum over 4 px), and the square of what only a chessboard of single px holds. */
export function errorRow(y: i32): void {
  const was0 = referenceRow(2 * y)
  const was1 = referenceRow(2 * y + 1)
  const is0 = candidateRow(2 * y)
  const is1 = candidateRow(2 * y + 1)
  const error = ringRow(errors, ERROR_ROWS, y)
  const noise = ringRow(noises, ERROR_ROWS, y)
  for (let x: usize = 0; x < cellBytes; x += 32) {
    const upper = offBy(is0 + x, was0 + x, 0)
    const lower = offBy(is1 + x, was1 + x, 0)
    const upperNext = offBy(is0 + x, was0 + x, 16)
    const lowerNext = offBy(is1 + x, was1 + x, 16)
    const board = pairsOf(i16x8.sub(upper, lower), chessboard)
    const boardNext = pairsOf(i16x8.sub(upperNext, lowerNext), chessboard)
    storePair(error + x, pairsOf(i16x8.add(upper, lower), even), pairsOf(i16x8.add(upperNext, lowerNext), even))
    storePair(noise + x, f32x4.mul(board, board), f32x4.mul(boardNext, boardNext))
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
  for (let x: usize = 0; x < cellBytes; x += 32) {
    storePair(toUpper + x, sumOf(e0 + x, e1 + x, 0), sumOf(e0 + x, e1 + x, 16))
    storePair(toLower + x, sumOf(e2 + x, e3 + x, 0), sumOf(e2 + x, e3 + x, 16))
    const noise = f32x4.add(sumOf(n0 + x, n1 + x, 0), sumOf(n2 + x, n3 + x, 0))
    const next = f32x4.add(sumOf(n0 + x, n1 + x, 16), sumOf(n2 + x, n3 + x, 16))
    storePair(toNoise + x, noise, next)
  }
}

@inline
function sumOf(one: usize, other: usize, k: usize): v128 {
  return f32x4.add(v128.load(one + k), v128.load(other + k))
}

@inline
function total(v: v128): f64 {
  const pairs = f32x4.add(v, v128.shuffle<f32>(v, v, 2, 3, 0, 1))
  return <f64>(f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1))
}

/** Adds the sums of eight columns to a tile's. */
@inline
function addTo(at: usize, lanes: usize): void {
  store<f64>(at, load<f64>(at) + total(f32x4.add(v128.load(lanes), v128.load(lanes, 16))))
}

// Of four corners, the first of which lies two cells right of `at`; `k` is 0, or 16 for the four that follow.

@inline
function leftOf(at: usize, k: usize): v128 {
  return f32x4.add(v128.load(at + k), v128.load(at + (4 + k)))
}

@inline
function rightOf(at: usize, k: usize): v128 {
  return f32x4.add(v128.load(at + (8 + k)), v128.load(at + (12 + k)))
}

@inline
function fallingAt(upper: usize, lower: usize, k: usize): v128 {
  return f32x4.sub(leftOf(upper, k), rightOf(lower, k))
}

@inline
function risingAt(upper: usize, lower: usize, k: usize): v128 {
  return f32x4.sub(leftOf(lower, k), rightOf(upper, k))
}

/** The square of a step, less what noise makes by chance. */
@inline
function squareOf(byColumn: v128, byRow: v128, noise: usize, k: usize): v128 {
  const chance = f32x4.mul(f32x4.add(leftOf(noise, k), rightOf(noise, k)), all(noiseShare))
  const steep = f32x4.add(f32x4.mul(byColumn, byColumn), f32x4.mul(byRow, byRow))
  return f32x4.pmax(f32x4.splat(0), f32x4.sub(steep, chance))
}

/** Adds the steps at row y of corners, between x bytes and others, to a tile's sums. */
function addSteps(y: i32, from: usize, until: usize, to: usize): void {
  const seenRow = visibilityRow(y)
  const uppers = scratchRow(0) - HALF_BYTES
  const lowers = scratchRow(1) - HALF_BYTES
  const noises = scratchRow(2) - HALF_BYTES
  let squares = f32x4.splat(0)
  let columns = f32x4.splat(0)
  let rows = f32x4.splat(0)
  let squaresNext = f32x4.splat(0)
  let columnsNext = f32x4.splat(0)
  let rowsNext = f32x4.splat(0)
  for (let x = from; x < until; x += 32) {
    const seen = v128.load(seenRow + x)
    const seenNext = v128.load(seenRow + x, 16)
    const falling = fallingAt(uppers + x, lowers + x, 0)
    const fallingNext = fallingAt(uppers + x, lowers + x, 16)
    const rising = risingAt(uppers + x, lowers + x, 0)
    const risingNext = risingAt(uppers + x, lowers + x, 16)
    const byColumn = f32x4.mul(f32x4.add(falling, rising), all(perSample))
    const byColumnNext = f32x4.mul(f32x4.add(fallingNext, risingNext), all(perSample))
    const byRow = f32x4.mul(f32x4.sub(falling, rising), all(perSample))
    const byRowNext = f32x4.mul(f32x4.sub(fallingNext, risingNext), all(perSample))
    const square = squareOf(byColumn, byRow, noises + x, 0)
    const squareNext = squareOf(byColumnNext, byRowNext, noises + x, 16)
    squares = f32x4.add(squares, f32x4.mul(f32x4.mul(square, seen), seen))
    squaresNext = f32x4.add(squaresNext, f32x4.mul(f32x4.mul(squareNext, seenNext), seenNext))
    columns = f32x4.add(columns, f32x4.mul(byColumn, seen))
    columnsNext = f32x4.add(columnsNext, f32x4.mul(byColumnNext, seenNext))
    rows = f32x4.add(rows, f32x4.mul(byRow, seen))
    rowsNext = f32x4.add(rowsNext, f32x4.mul(byRowNext, seenNext))
  }
  storePair(laneSums, squares, squaresNext)
  storePair(laneSums + LANE_BYTES, columns, columnsNext)
  storePair(laneSums + 2 * LANE_BYTES, rows, rowsNext)
  addTo(to, laneSums)
  addTo(to + 8, laneSums + LANE_BYTES)
  addTo(to + 16, laneSums + 2 * LANE_BYTES)
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
