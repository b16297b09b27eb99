/**
 * How much of a false step would be seen at each corner of the reference's cells, 0..1: 1 where it is smooth and not black. Texture is the mean square of
 * second differences (across and down, at every sample of a cell's first row and column) over the 12 x 12 px around: a gradient has none, however steep.
 */
import { all } from '../common/broadcast'
import { loadAlong, storePair } from '../common/pairs'
import {
  TEXTURE_ROWS, across, cellBytes, columnsAround, down, referenceRow, ringRow, scratchRow, seenHeight, seenWidth, textures, visibilityRow,
  zeroRow,
} from './layout'

/** Cells on each side in which texture hides a step: one more than a step is measured over, so that an edge next to it counts. */
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
 * Near black a sample value makes less light: in CIE lightness 0.27 up to the value 10, 0.45 at 20 as in the middle of the range.
 * `seenInBlack` is the visible share of a step at luma 0, `perLuma` its growth per 1/16 of a sample value: 1 from 20 on.
 */
const seenInBlack = memory.data<f32>([0.62])
/** Rows of cells around the row of corners in hand. */
const rowsAround = memory.data<f32>([0])
const perLuma = memory.data<f32>([0.38 / (20 * 16)])

/** For each corner how many columns of cells around it lie inside. */
export function fillColumns(): void {
  for (let x = 0; <usize>x << 2 < cellBytes; x++) {
    store<f32>(columnsAround + (<usize>x << 2), <f32>max(1, min(across, x + AROUND) - max(0, x - AROUND)))
  }
}

/** Repeats the first and the last luma of a row outside of it. */
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

/** The texture of four cells; `row` and `next` are the rows of luma they lie in. `k` is 0, or 16 for the four that follow. */
@inline
function textureOf(above: usize, row: usize, next: usize, below: usize, k: usize): v128 {
  const at = v128.load(row + (2 + k))
  const under = v128.load(next + (2 + k))
  const along = squares(bent(v128.load(row + k), at, v128.load(row + (4 + k))))
  const first = firstSquares(bent(v128.load(above + (2 + k)), at, under))
  const second = firstSquares(bent(at, under, v128.load(below + (2 + k))))
  const sum = f32x4.add(f32x4.convert_i32x4_s(along), f32x4.convert_i32x4_s(i32x4.add(first, second)))
  return f32x4.mul(sum, all(quarter))
}

/** The texture of row y of cells. */
function textureRow(y: i32): void {
  // Each begins one px left of the first cell.
  const row = referenceRow(2 * y) - 2
  const next = referenceRow(2 * y + 1) - 2
  const above = y > 0 ? referenceRow(2 * y - 1) - 2 : row
  const below = 2 * y + 2 < seenHeight ? referenceRow(2 * y + 2) - 2 : next
  const to = ringRow(textures, TEXTURE_ROWS, y)
  for (let x: usize = 0; x < cellBytes; x += 32) {
    const texture = textureOf(above + x, row + x, next + x, below + x, 0)
    const textureNext = textureOf(above + x, row + x, next + x, below + x, 16)
    storePair(to + x, texture, textureNext)
  }
  for (let x = <usize>across << 2; x < cellBytes + 16; x += 4) store<f32>(to + x, 0)
}

@inline
function textureOr(y: i32): usize {
  return y >= 0 && y < down ? ringRow(textures, TEXTURE_ROWS, y) : zeroRow
}

/** Sums of the six rows of cells around row y of corners. */
function textureColumns(y: i32, to: usize): void {
  const t0 = textureOr(y - 3)
  const t1 = textureOr(y - 2)
  const t2 = textureOr(y - 1)
  const t3 = textureOr(y)
  const t4 = textureOr(y + 1)
  const t5 = textureOr(y + 2)
  for (let x: usize = 0; x < cellBytes; x += 32) {
    const sum = sumOfSix(t0 + x, t1 + x, t2 + x, t3 + x, t4 + x, t5 + x, 0)
    storePair(to + x, sum, sumOfSix(t0 + x, t1 + x, t2 + x, t3 + x, t4 + x, t5 + x, 16))
  }
}

@inline
function sumOfSix(t0: usize, t1: usize, t2: usize, t3: usize, t4: usize, t5: usize, k: usize): v128 {
  const three = f32x4.add(f32x4.add(v128.load(t0 + k), v128.load(t1 + k)), v128.load(t2 + k))
  return f32x4.add(f32x4.add(f32x4.add(three, v128.load(t3 + k)), v128.load(t4 + k)), v128.load(t5 + k))
}

/** Visible share of a step next to four cells, by their lightness. */
@inline
function seenByLightness(luma: v128): v128 {
  const first = f32x4.convert_i32x4_s(v128.and(luma, i32x4.splat(0xffff)))
  return f32x4.pmin(all(one), f32x4.add(all(seenInBlack), f32x4.mul(first, all(perLuma))))
}

/** How much is seen at four corners, the first of which lies three cells right of `at` (and `other` 16 bytes left of it, see `loadAlong`). */
@inline
function seenAt(at: usize, other: usize, around: usize, luma: usize, k: usize): v128 {
  const left = f32x4.add(f32x4.add(loadAlong(at, other, 0, k), loadAlong(at, other, 4, k)), loadAlong(at, other, 8, k))
  const right = f32x4.add(f32x4.add(loadAlong(at, other, 12, k), loadAlong(at, other, 16, k)), loadAlong(at, other, 20, k))
  const mean = f32x4.div(f32x4.add(left, right), f32x4.mul(all(rowsAround), v128.load(around + k)))
  const seen = f32x4.div(all(one), f32x4.add(all(one), f32x4.mul(mean, all(perHalf))))
  return v128.and(f32x4.mul(seen, seenByLightness(v128.load(luma + k))), f32x4.ge(seen, all(leastVisible)))
}

/** Row y of corners; the rows of cells around it have been looked at. */
function visibleRow(y: i32): void {
  const columns = scratchRow(0)
  textureColumns(y, columns)
  store<f32>(rowsAround, <f32>(min(down, y + AROUND) - max(0, y - AROUND)))
  const to = visibilityRow(y)
  const luma = referenceRow(min(2 * y, seenHeight - 1))
  const first = columns - 12
  const other = first - 16
  for (let x: usize = 0; x < cellBytes; x += 32) {
    const seen = seenAt(first + x, other + x, columnsAround + x, luma + x, 0)
    const seenNext = seenAt(first + x, other + x, columnsAround + x, luma + x, 16)
    storePair(to + x, seen, seenNext)
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
