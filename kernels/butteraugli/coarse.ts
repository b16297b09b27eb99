/**
 * The widest Gaussian (sigma 7.16) on cells of 4 x 4 px: sums of cells, nine taps along and down, straight lines between the cells'
 * centres. A thirtieth of the work of 33 taps at every pixel. The taps were fitted (least squares over the four places of a pixel in its cell),
 * so that mean, interpolation and taps together come nearest to the definition's Gaussian, cut off at 2.25 sigma.
 */
import { all } from '../common/broadcast'
import { CELL_ROWS, OPSIN_ROWS, SMOOTHED_ROWS, Scale, Side, clearCells, ringRow, scratchRow } from './layout'

/** Side of a cell as a shift. */
const CELL_SHIFT: i32 = 2
const CELL: i32 = 4
const REACH: i32 = 4
/** Rows of pixels below one that its low band needs. */
export const CELLS_REACH: i32 = 21
const taps = memory.data<f32>([0.2304605, 0.1964345, 0.1207932, 0.0556255, 0.0119166])

const eighth = memory.data<f32>([0.125])
const threeEighths = memory.data<f32>([0.375])

@inline
function tap(i: i32): f32 {
  return load<f32>(taps + (<usize>i << 2))
}

@inline
function cellsAlong(size: i32): i32 {
  return (size + CELL - 1) >> CELL_SHIFT
}

/** Bytes of a row of cells, rounded up to whole vectors. */
@inline
function cellBytes(scale: Scale): usize {
  return scale.stride >> CELL_SHIFT
}

/** Pixels of a side that lie in a cell: less than four in the last one, none outside. */
@inline
function pixelsIn(cell: i32, size: i32): i32 {
  return cell < 0 ? 0 : max(0, min(CELL, size - (cell << CELL_SHIFT)))
}

/** What makes a sum of cells around one, weighed by the taps, a mean. A cell just outside has one too: pixels at the edge lie between it and the first. */
function factorAt(cell: i32, size: i32): f32 {
  let total: f32 = 0
  for (let i = -REACH; i <= REACH; i++) total += tap(abs(i)) * <f32>pixelsIn(cell + i, size)
  return <f32>1 / total
}

export function fillCellFactors(scale: Scale): void {
  const factors = scale.cellFactors
  for (let cell = -1; cell <= cellsAlong(scale.width); cell++) store<f32>(factors + (cell << 2), factorAt(cell, scale.width))
}

/** Sums of neighbouring pairs of eight values. */
@inline
function pairSums(a: v128, b: v128): v128 {
  return f32x4.add(v128.shuffle<f32>(a, b, 0, 2, 4, 6), v128.shuffle<f32>(a, b, 1, 3, 5, 7))
}

/** Sums up to four rows of a channel, of which y is the last, into a row of cells. */
function sumCells(scale: Scale, side: Side, channel: i32, y: i32, to: usize): void {
  const stride = scale.stride
  const pitch = scale.pitch
  const first = y & ~(CELL - 1)
  const none = scale.zeros
  const r0 = ringRow(side.opsin, OPSIN_ROWS, channel, first, pitch)
  const r1 = first + 1 > y ? none : ringRow(side.opsin, OPSIN_ROWS, channel, first + 1, pitch)
  const r2 = first + 2 > y ? none : ringRow(side.opsin, OPSIN_ROWS, channel, first + 2, pitch)
  const r3 = first + 3 > y ? none : ringRow(side.opsin, OPSIN_ROWS, channel, first + 3, pitch)
  for (let x: usize = 0; x < stride; x += 64) {
    const a = addFour(r0 + x, r1 + x, r2 + x, r3 + x)
    const b = addFour(r0 + x + 16, r1 + x + 16, r2 + x + 16, r3 + x + 16)
    const c = addFour(r0 + x + 32, r1 + x + 32, r2 + x + 32, r3 + x + 32)
    const d = addFour(r0 + x + 48, r1 + x + 48, r2 + x + 48, r3 + x + 48)
    v128.store(to + (x >> CELL_SHIFT), pairSums(pairSums(a, b), pairSums(c, d)))
  }
}

@inline
function addFour(a: usize, b: usize, c: usize, d: usize): v128 {
  return f32x4.add(f32x4.add(v128.load(a), v128.load(b)), f32x4.add(v128.load(c), v128.load(d)))
}

/** Smooths a row of cells, whose margins are zero, along itself; one more on either side. */
function smoothCells(scale: Scale, from: usize, to: usize): void {
  const w0 = all(taps)
  const w1 = all(taps + 4)
  const w2 = all(taps + 8)
  const w3 = all(taps + 12)
  const w4 = all(taps + 16)
  const factors = scale.cellFactors
  const until = <isize>cellBytes(scale) + 16
  for (let x: isize = -16; x < until; x += 16) {
    const at = from - 16 + x
    const one = f32x4.mul(f32x4.add(v128.load(at, 12), v128.load(at, 20)), w1)
    const two = f32x4.mul(f32x4.add(v128.load(at, 8), v128.load(at, 24)), w2)
    const three = f32x4.mul(f32x4.add(v128.load(at, 4), v128.load(at, 28)), w3)
    const four = f32x4.mul(f32x4.add(v128.load(at), v128.load(at, 32)), w4)
    const near = f32x4.add(f32x4.add(f32x4.mul(v128.load(at, 16), w0), one), two)
    v128.store(to + x, f32x4.mul(f32x4.add(near, f32x4.add(three, four)), v128.load(factors + x)))
  }
}

/** Takes row y of the opsin channels: the fourth of a row of cells, or the image's last, completes these. */
export function takeCells(scale: Scale, side: Side, y: i32): void {
  if ((y & (CELL - 1)) != CELL - 1 && y != scale.height - 1) return
  for (let channel = 0; channel < 3; channel++) {
    const sums = scratchRow(7)
    sumCells(scale, side, channel, y, sums)
    clearCells(scale, sums)
    smoothCells(scale, sums, ringRow(side.cells, CELL_ROWS, channel, y >> CELL_SHIFT, scale.cellPitch))
  }
}

@inline
function cellRow(scale: Scale, side: Side, channel: i32, row: i32): usize {
  const inside = row >= 0 && row < cellsAlong(scale.height)
  return inside ? ringRow(side.cells, CELL_ROWS, channel, row, scale.cellPitch) : scale.zeros
}

/** Smooths the rows of cells around one down the image: from the one above the first to the one below the last. */
function settleCells(scale: Scale, side: Side, row: i32): void {
  const factor = f32x4.splat(factorAt(row, scale.height))
  const rowBytes = cellBytes(scale) + 32
  for (let channel = 0; channel < 3; channel++) {
    const to = smoothedRow(scale, side, channel, row)
    const centre = cellRow(scale, side, channel, row) - 16
    for (let x: usize = 0; x < rowBytes; x += 16) v128.store(to + x, f32x4.mul(v128.load(centre + x), all(taps)))
    for (let i = 1; i <= REACH; i++) {
      const above = cellRow(scale, side, channel, row - i) - 16
      const below = cellRow(scale, side, channel, row + i) - 16
      const weight = f32x4.splat(tap(i))
      for (let x: usize = 0; x < rowBytes; x += 16) {
        const pair = f32x4.add(v128.load(above + x), v128.load(below + x))
        v128.store(to + x, f32x4.add(v128.load(to + x), f32x4.mul(pair, weight)))
      }
    }
    for (let x: usize = 0; x < rowBytes; x += 16) v128.store(to + x, f32x4.mul(v128.load(to + x), factor))
  }
}

/** From the cell before the first on. */
@inline
function smoothedRow(scale: Scale, side: Side, channel: i32, row: i32): usize {
  return ringRow(side.smoothed, SMOOTHED_ROWS, channel, row + 1, scale.cellPitch) - 16
}

/** The row of cells whose centres lie below those of row y; the one above it has the others. */
@inline
function rowBelow(y: i32): i32 {
  return (y + 2) >> CELL_SHIFT
}

/** The smoothed cells of row y of a channel, between the rows of cells above and below. */
function betweenRows(scale: Scale, side: Side, channel: i32, y: i32, to: usize): void {
  const from = smoothedRow(scale, side, channel, rowBelow(y) - 1)
  const until = smoothedRow(scale, side, channel, rowBelow(y))
  const part = f32x4.splat(<f32>0.125 + <f32>0.25 * <f32>((y + 2) & (CELL - 1)))
  const bytes = cellBytes(scale) + 32
  for (let x: usize = 0; x < bytes; x += 16) {
    const a = v128.load(from + x)
    v128.store(to + x - 16, f32x4.add(a, f32x4.mul(f32x4.sub(v128.load(until + x), a), part)))
  }
}

/** Four pixels of the low band, and what is left above it. */
@inline
function split(opsin: usize, low: v128, toLow: usize, rest: usize): void {
  v128.store(toLow, low)
  v128.store(rest, f32x4.sub(v128.load(opsin), low))
}

/** Row y of the low band of a channel, and what is left above it; rows up to y + 21 have been taken. */
export function lowRow(scale: Scale, side: Side, channel: i32, y: i32, low: usize, rest: usize): void {
  const stride = scale.stride
  const cells = scratchRow(7)
  betweenRows(scale, side, channel, y, cells)
  const opsin = ringRow(side.opsin, OPSIN_ROWS, channel, y, scale.pitch)
  for (let x: usize = 0; x < stride; x += 64) {
    const at = cells - 4 + (x >> CELL_SHIFT)
    const own = v128.load(at, 4)
    const left = f32x4.sub(v128.load(at), own)
    const right = f32x4.sub(v128.load(at, 8), own)
    const first = f32x4.add(own, f32x4.mul(left, all(threeEighths)))
    const second = f32x4.add(own, f32x4.mul(left, all(eighth)))
    const third = f32x4.add(own, f32x4.mul(right, all(eighth)))
    const fourth = f32x4.add(own, f32x4.mul(right, all(threeEighths)))
    const a = v128.shuffle<f32>(first, second, 0, 4, 1, 5)
    const b = v128.shuffle<f32>(third, fourth, 0, 4, 1, 5)
    const c = v128.shuffle<f32>(first, second, 2, 6, 3, 7)
    const d = v128.shuffle<f32>(third, fourth, 2, 6, 3, 7)
    const from = opsin + x
    const to = low + x
    const above = rest + x
    split(from, v128.shuffle<f32>(a, b, 0, 1, 4, 5), to, above)
    split(from + 16, v128.shuffle<f32>(a, b, 2, 3, 6, 7), to + 16, above + 16)
    split(from + 32, v128.shuffle<f32>(c, d, 0, 1, 4, 5), to + 32, above + 32)
    split(from + 48, v128.shuffle<f32>(c, d, 2, 3, 6, 7), to + 48, above + 48)
  }
}

/** Makes the smoothed cells ready that row y lies between. */
export function readyCells(scale: Scale, side: Side, y: i32): void {
  while (side.cellsDone <= rowBelow(y)) settleCells(scale, side, side.cellsDone++)
}
