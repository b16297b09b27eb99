/**
 * How much of a false step would be seen at each corner of the reference's cells, 0..1: 1 where it is smooth and not black. Texture is the mean square of
 * second differences (across and down, at every sample of a cell's first row and column) over the 12 x 12 px around: a gradient has none, however steep.
 */
import { all } from '../common/broadcast'
import {
  TEXTURE_ROWS, across, cellBytes, columnsAround, down, referenceRow, ringRow, scratchRow, seenHeight, seenWidth, textures, visibilityRow,
  zeroRow,
} from './layout'

/** Cells on each side in which texture hides a step: one more than a step is measured over, so that an edge just beside it counts. */
const AROUND: i32 = 3
/** Corners nearer to the edge have no step measured. */
const HALF: i32 = 2
/** The mean square of texture that halves a step's visibility: 2.5 sample values. */
const perHalf = memory.data<f32>([1.0 / (16 * 2.5 * 16 * 2.5)])
/** Where less of a step is seen, it is not looked for: texture hides it. */
const leastVisible = memory.data<f32>([0.1])
const quarter = memory.data<f32>([0.25])
const one = memory.data<f32>([1])
/**
 * Near black a sample value makes less light: in CIE lightness 0.27 up to the value 10, 0.45 at 20 as in the middle of the range. So much of a step is seen
 * where the luma is 0, and so much more for each 1/16 of a sample value: all of it from 20 on.
 */
const seenInBlack = memory.data<f32>([0.62])
const perLuma = memory.data<f32>([0.38 / (20 * 16)])

/** For each corner how many columns of cells around it lie inside. */
export function fillColumns(): void {
  for (let x = 0; <usize>x << 2 < cellBytes; x++) {
    store<f32>(columnsAround + (<usize>x << 2), <f32>max(1, min(across, x + AROUND) - max(0, x - AROUND)))
  }
}

/** What lies beside the edge of a row of luma is as the edge. */
export function extend(row: usize): void {
  const last = row + (<usize>(seenWidth - 1) << 1)
  store<i16>(row - 2, load<i16>(row))
  store<i16>(last + 2, load<i16>(last))
}

@inline
function bent(before: v128, at: v128, after: v128): v128 {
  return i16x8.sub(i16x8.add(before, after), i16x8.shl(at, 1))
}

/** Sums of squares of neighbouring pairs. */
@inline
function squares(v: v128): v128 {
  return i32x4.dot_i16x8_s(v, v)
}

/** Squares of the first of each pair. */
@inline
function firstSquares(v: v128): v128 {
  return squares(v128.and(v, i32x4.splat(0xffff)))
}

/** The texture of row y of cells. */
function textureRow(y: i32): void {
  const row = referenceRow(2 * y)
  const next = referenceRow(2 * y + 1)
  const above = y > 0 ? referenceRow(2 * y - 1) : row
  const below = 2 * y + 2 < seenHeight ? referenceRow(2 * y + 2) : next
  const to = ringRow(textures, TEXTURE_ROWS, y)
  for (let x: usize = 0; x < cellBytes; x += 16) {
    const at = v128.load(row + x)
    const under = v128.load(next + x)
    const along = squares(bent(v128.load(row + x - 2), at, v128.load(row + x + 2)))
    const first = firstSquares(bent(v128.load(above + x), at, under))
    const second = firstSquares(bent(at, under, v128.load(below + x)))
    const sum = f32x4.add(f32x4.convert_i32x4_s(along), f32x4.convert_i32x4_s(i32x4.add(first, second)))
    v128.store(to + x, f32x4.mul(sum, all(quarter)))
  }
  for (let x = <usize>across << 2; x < cellBytes + 16; x += 4) store<f32>(to + x, 0)
}

@inline
function textureOr(y: i32): usize {
  return y >= 0 && y < down ? ringRow(textures, TEXTURE_ROWS, y) : zeroRow
}

/** Of a step beside the cells of a row, four of them, what their lightness leaves to be seen. */
@inline
function seenByLightness(row: usize, x: usize): v128 {
  const luma = f32x4.convert_i32x4_s(v128.and(v128.load(row + x), i32x4.splat(0xffff)))
  return f32x4.pmin(all(one), f32x4.add(all(seenInBlack), f32x4.mul(luma, all(perLuma))))
}

/** Row y of corners; the rows of cells around it have been looked at. */
function visibleRow(y: i32): void {
  const columns = scratchRow(0)
  for (let x: usize = 0; x < cellBytes; x += 16) {
    let sum = f32x4.splat(0)
    for (let row = y - AROUND; row < y + AROUND; row++) sum = f32x4.add(sum, v128.load(textureOr(row) + x))
    v128.store(columns + x, sum)
  }
  const rows = f32x4.splat(<f32>(min(down, y + AROUND) - max(0, y - AROUND)))
  const to = visibilityRow(y)
  const luma = referenceRow(min(2 * y, seenHeight - 1))
  for (let x: usize = 0; x < cellBytes; x += 16) {
    const at = columns + x
    const left = f32x4.add(f32x4.add(v128.load(at - 12), v128.load(at - 8)), v128.load(at - 4))
    const right = f32x4.add(f32x4.add(v128.load(at), v128.load(at + 4)), v128.load(at + 8))
    const mean = f32x4.div(f32x4.add(left, right), f32x4.mul(rows, v128.load(columnsAround + x)))
    const seen = f32x4.div(all(one), f32x4.add(all(one), f32x4.mul(mean, all(perHalf))))
    v128.store(to + x, v128.and(f32x4.mul(seen, seenByLightness(luma, x)), f32x4.ge(seen, all(leastVisible))))
  }
  for (let x = 0; x < HALF; x++) store<f32>(to + (<usize>x << 2), 0)
  for (let x = <usize>max(0, across - HALF + 1) << 2; x < cellBytes; x += 4) store<f32>(to + x, 0)
}

/** All corners; the reference's luma is there as a whole. */
export function settleVisibility(): void {
  let ready = 0
  for (let y = 0; y <= down; y++) {
    while (ready < min(down, y + AROUND)) textureRow(ready++)
    if (y >= HALF && y <= down - HALF) visibleRow(y)
    else memory.fill(visibilityRow(y), 0, cellBytes)
  }
}
