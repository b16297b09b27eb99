/**
 * The widest Gaussian (sigma 7.16) on cells of 4 x 4 px: sums of cells, nine taps along and down, straight lines between the cells'
 * centres. A thirtieth of the work of 33 taps at every pixel. The taps were fitted (least squares over the four places of a pixel in its cell),
 * so that mean, interpolation and taps together come nearest to the definition's Gaussian, cut off at 2.25 sigma.
 */
import { all } from '../common/broadcast'
import { storePair } from '../common/pairs'
import { blueDifference } from './blue'
import { CELL_ROWS, OPSIN_ROWS, SMOOTHED_ROWS, Scale, Side, TONE_CELL_ROWS, clearCells, ringRow, scratchRow } from './layout'
import { halvesOfCells } from './middle'

/** Side of a cell as a shift. */
const CELL_SHIFT: i32 = 2
const CELL: i32 = 4
const REACH: i32 = 4
/** Rows of pixels below one that its low band needs. */
export const CELLS_REACH: i32 = 21
const taps = memory.data<f32>([0.2304605, 0.1964345, 0.1207932, 0.0556255, 0.0119166])

/** Scales of the low band, times the roots of the weights of its squared errors; what blue takes of Y. */
export const lowX = memory.data<f32>([32.2217497012 * 5.406975106230839])
export const lowY = memory.data<f32>([13.7697791434 * 0.9190358921075934])
const lowB = memory.data<f32>([47.504615728 * 0.8388364725731708])
const blueFromY = memory.data<f32>([-0.362267051518])
/** The same from a weighed difference of Y. */
const blueFromTone = memory.data<f32>([
  (-0.362267051518 * 47.504615728 * 0.8388364725731708) / (13.7697791434 * 0.9190358921075934),
])

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

/** Factor that turns the weighted sum of cells around one into a mean. The first cell outside has one too, because pixels at the edge lie next to it. */
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

/** Four columns of four rows added up. */
@inline
function addFour(a: usize, b: usize, c: usize, d: usize, k: usize): v128 {
  return f32x4.add(f32x4.add(v128.load(a + k), v128.load(b + k)), f32x4.add(v128.load(c + k), v128.load(d + k)))
}

/** Sums up to four rows of a channel, up to row y, column by column. */
function sumRows(scale: Scale, side: Side, channel: i32, y: i32, to: usize): void {
  const stride = scale.stride
  const pitch = scale.pitch
  const first = y & ~(CELL - 1)
  const none = scale.zeros
  const r0 = ringRow(side.opsin, OPSIN_ROWS, channel, first, pitch)
  const r1 = first + 1 > y ? none : ringRow(side.opsin, OPSIN_ROWS, channel, first + 1, pitch)
  const r2 = first + 2 > y ? none : ringRow(side.opsin, OPSIN_ROWS, channel, first + 2, pitch)
  const r3 = first + 3 > y ? none : ringRow(side.opsin, OPSIN_ROWS, channel, first + 3, pitch)
  for (let x: usize = 0; x < stride; x += 32) {
    storePair(to + x, addFour(r0 + x, r1 + x, r2 + x, r3 + x, 0), addFour(r0 + x, r1 + x, r2 + x, r3 + x, 16))
  }
}

/** Sums of four neighbouring columns, into a row of cells. */
function sumColumns(scale: Scale, from: usize, to: usize): void {
  const stride = scale.stride
  for (let x: usize = 0; x < stride; x += 64) {
    const at = from + x
    const left = pairSums(v128.load(at), v128.load(at, 16))
    const right = pairSums(v128.load(at, 32), v128.load(at, 48))
    v128.store(to + (x >> CELL_SHIFT), pairSums(left, right))
  }
}

/** Two rows of what the candidate's B differs by to a row of cells: each sample stands for the pixels that it is made of, four but for those at odd edges. */
function sumBlue(scale: Scale, side: Side, y: i32, to: usize): void {
  const upper = (y >> CELL_SHIFT) << 1
  const lower = upper + 1
  const first = blueDifference(scale, side, upper)
  const second = 2 * lower < scale.height ? blueDifference(scale, side, lower) : scale.zeros
  const pixelsFirst = f32x4.splat(2 * upper + 1 < scale.height ? 4 : 2)
  const pixelsSecond = f32x4.splat(2 * lower + 1 < scale.height ? 4 : 2)
  const columns = scratchRow(6)
  const bytes = scale.stride >> 1
  for (let x: usize = 0; x < bytes; x += 32) {
    const sum = f32x4.add(f32x4.mul(v128.load(first + x), pixelsFirst), f32x4.mul(v128.load(second + x), pixelsSecond))
    const sum2 = f32x4.add(f32x4.mul(v128.load(first + x, 16), pixelsFirst), f32x4.mul(v128.load(second + x, 16), pixelsSecond))
    storePair(columns + x, sum, sum2)
  }
  if (scale.width & 1) {
    const last = columns + (<usize>(scale.width >> 1) << 2)
    store<f32>(last, load<f32>(last) * 0.5)
  }
  for (let x: usize = 0; x < bytes; x += 32) {
    v128.store(to + (x >> 1), pairSums(v128.load(columns + x), v128.load(columns + x, 16)))
  }
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
  const sums = scratchRow(7)
  for (let channel = 0; channel < 2; channel++) {
    const columns = scratchRow(6)
    sumRows(scale, side, channel, y, columns)
    sumColumns(scale, columns, sums)
    takeSums(scale, side, channel, y, sums)
  }
  if (side.isReference) return
  sumBlue(scale, side, y, sums)
  takeSums(scale, side, 2, y, sums)
}

function takeSums(scale: Scale, side: Side, channel: i32, y: i32, sums: usize): void {
  clearCells(scale, sums)
  smoothCells(scale, sums, ringRow(side.cells, CELL_ROWS, channel, y >> CELL_SHIFT, scale.cellPitch))
}

@inline
function cellRow(scale: Scale, side: Side, channel: i32, row: i32): usize {
  const inside = row >= 0 && row < cellsAlong(scale.height)
  return inside ? ringRow(side.cells, CELL_ROWS, channel, row, scale.cellPitch) : scale.zeros
}

/** A row of a channel's smoothed cells on its way to pixels: from the cell before the first to the one behind the last. */
@inline
function workRow(channel: i32): usize {
  return scratchRow(4 + channel)
}

@inline
function pairOf(above: usize, below: usize, tap: usize): v128 {
  return f32x4.mul(f32x4.add(v128.load(above), v128.load(below)), all(tap))
}

/** Weighted sum of four cells of a row and of its two neighbours; then of the rows further off. */
@inline
function nearRows(centre: usize, a1: usize, b1: usize, a2: usize, b2: usize, k: usize): v128 {
  const near = f32x4.add(f32x4.mul(v128.load(centre + k), all(taps)), pairOf(a1 + k, b1 + k, taps + 4))
  return f32x4.add(near, pairOf(a2 + k, b2 + k, taps + 8))
}

@inline
function farRows(a3: usize, b3: usize, a4: usize, b4: usize, k: usize): v128 {
  return f32x4.add(pairOf(a3 + k, b3 + k, taps + 12), pairOf(a4 + k, b4 + k, taps + 16))
}

/** Smooths the rows of a channel's cells around one down the image: from the one above the first to the one below the last. */
function smoothDown(scale: Scale, side: Side, channel: i32, row: i32): void {
  const factor = f32x4.splat(factorAt(row, scale.height))
  const bytes = cellBytes(scale) + 32
  const to = workRow(channel) - 16
  const centre = cellRow(scale, side, channel, row) - 16
  const a1 = cellRow(scale, side, channel, row - 1) - 16
  const a2 = cellRow(scale, side, channel, row - 2) - 16
  const a3 = cellRow(scale, side, channel, row - 3) - 16
  const a4 = cellRow(scale, side, channel, row - 4) - 16
  const b1 = cellRow(scale, side, channel, row + 1) - 16
  const b2 = cellRow(scale, side, channel, row + 2) - 16
  const b3 = cellRow(scale, side, channel, row + 3) - 16
  const b4 = cellRow(scale, side, channel, row + 4) - 16
  for (let x: usize = 0; x < bytes; x += 32) {
    const near = nearRows(centre + x, a1 + x, b1 + x, a2 + x, b2 + x, 0)
    const near2 = nearRows(centre + x, a1 + x, b1 + x, a2 + x, b2 + x, 16)
    const far = farRows(a3 + x, b3 + x, a4 + x, b4 + x, 0)
    const far2 = farRows(a3 + x, b3 + x, a4 + x, b4 + x, 16)
    storePair(to + x, f32x4.mul(f32x4.add(near, far), factor), f32x4.mul(f32x4.add(near2, far2), factor))
  }
}

/** A row of smoothed cells to one of pixels, on straight lines between the cells' centres. */
function acrossCells(scale: Scale, cells: usize, to: usize): void {
  const stride = scale.stride
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
    v128.store(to + x, v128.shuffle<f32>(a, b, 0, 1, 4, 5))
    v128.store(to + x, v128.shuffle<f32>(a, b, 2, 3, 6, 7), 16)
    v128.store(to + x, v128.shuffle<f32>(c, d, 0, 1, 4, 5), 32)
    v128.store(to + x, v128.shuffle<f32>(c, d, 2, 3, 6, 7), 48)
  }
}

@inline
function smoothedRow(scale: Scale, side: Side, channel: i32, row: i32): usize {
  return ringRow(side.smoothed, SMOOTHED_ROWS, channel, row + 1, scale.pitch)
}

/** The reference's smoothed cells as the low band's errors are weighed; and what the candidate's differ by. */
@inline
function keptRow(scale: Scale, channel: i32, row: i32): usize {
  return ringRow(scale.keptCells, scale.keptCellRows, channel, row + 1, scale.cellPitch)
}

@inline
function toneCellRow(scale: Scale, channel: i32, row: i32): usize {
  return ringRow(scale.toneCells, TONE_CELL_ROWS, channel, row + 1, scale.cellPitch)
}

@inline
export function blueOf(b: v128, y: v128): v128 {
  return f32x4.mul(f32x4.add(b, f32x4.mul(y, all(blueFromY))), all(lowB))
}

/** Keeps the reference's smoothed cells of X and Y. */
function keepCells(scale: Scale, row: i32): void {
  const rowX = workRow(0) - 16
  const rowY = workRow(1) - 16
  const toX = keptRow(scale, 0, row) - 16
  const toY = keptRow(scale, 1, row) - 16
  const bytes = cellBytes(scale) + 32
  for (let x: usize = 0; x < bytes; x += 16) {
    v128.store(toX + x, f32x4.mul(v128.load(rowX + x), all(lowX)))
    v128.store(toY + x, f32x4.mul(v128.load(rowY + x), all(lowY)))
  }
}

/** Sets the candidate's smoothed cells against the reference's; B's are what it differs by. */
function compareCells(scale: Scale, row: i32): void {
  const rowX = workRow(0) - 16
  const rowY = workRow(1) - 16
  const rowB = workRow(2) - 16
  const wasX = keptRow(scale, 0, row) - 16
  const wasY = keptRow(scale, 1, row) - 16
  const toX = toneCellRow(scale, 0, row) - 16
  const toY = toneCellRow(scale, 1, row) - 16
  const toB = toneCellRow(scale, 2, row) - 16
  const bytes = cellBytes(scale) + 32
  for (let x: usize = 0; x < bytes; x += 16) {
    const luma = f32x4.sub(v128.load(wasY + x), f32x4.mul(v128.load(rowY + x), all(lowY)))
    v128.store(toX + x, f32x4.sub(v128.load(wasX + x), f32x4.mul(v128.load(rowX + x), all(lowX))))
    v128.store(toY + x, luma)
    v128.store(toB + x, f32x4.sub(f32x4.mul(luma, all(blueFromTone)), f32x4.mul(v128.load(rowB + x), all(lowB))))
  }
}

/** Smooths a row of cells down and makes pixels of it, for the rows that lie between it and its neighbours. */
function settleCells(scale: Scale, side: Side, row: i32): void {
  for (let channel = 0; channel < 2; channel++) {
    smoothDown(scale, side, channel, row)
    acrossCells(scale, workRow(channel), smoothedRow(scale, side, channel, row))
  }
  if (side.isReference) {
    keepCells(scale, row)
    return
  }
  smoothDown(scale, side, 2, row)
  halvesOfCells(workRow(2), smoothedRow(scale, side, 2, row), scale.stride >> 1)
  compareCells(scale, row)
}

/** The row of cells whose centres lie below those of row y; the one above it has the others. */
@inline
function rowBelow(y: i32): i32 {
  return (y + 2) >> CELL_SHIFT
}

/** How far row y lies from the centres above it to those below. */
@inline
function partBelow(y: i32): f32 {
  return <f32>0.125 + <f32>0.25 * <f32>((y + 2) & (CELL - 1))
}

@inline
function between(above: usize, below: usize, part: v128): v128 {
  const a = v128.load(above)
  return f32x4.add(a, f32x4.mul(f32x4.sub(v128.load(below), a), part))
}

/** Four pixels of what lies above the low band. */
@inline
function restOf(opsin: usize, above: usize, below: usize, part: v128, k: usize): v128 {
  return f32x4.sub(v128.load(opsin + k), between(above + k, below + k, part))
}

/** Row y of a channel without its low band; `readyCells` has been called. */
export function removeLow(scale: Scale, side: Side, channel: i32, y: i32, rest: usize): void {
  const stride = scale.stride
  const part = f32x4.splat(partBelow(y))
  const above = smoothedRow(scale, side, channel, rowBelow(y) - 1)
  const below = smoothedRow(scale, side, channel, rowBelow(y))
  const opsin = ringRow(side.opsin, OPSIN_ROWS, channel, y, scale.pitch)
  for (let x: usize = 0; x < stride; x += 32) {
    storePair(rest + x, restOf(opsin + x, above + x, below + x, part, 0), restOf(opsin + x, above + x, below + x, part, 16))
  }
}

/** Row `row` of what the candidate's B differs by without its low band, times `share`; `readyCells` has been called for its rows of pixels. */
export function removeLowBlue(scale: Scale, side: Side, row: i32, share: f32, to: usize): void {
  const bytes = scale.stride >> 1
  const below = (row + 1) >> 1
  const part = f32x4.splat(row & 1 ? 0.25 : 0.75)
  const above = smoothedRow(scale, side, 2, below - 1)
  const under = smoothedRow(scale, side, 2, below)
  const from = blueDifference(scale, side, row)
  const times = f32x4.splat(share)
  for (let x: usize = 0; x < bytes; x += 32) {
    const rest = f32x4.mul(restOf(from + x, above + x, under + x, part, 0), times)
    storePair(to + x, rest, f32x4.mul(restOf(from + x, above + x, under + x, part, 16), times))
  }
}

/** Makes the smoothed cells ready that row y lies between; rows up to y + 21 have been taken. */
export function readyCells(scale: Scale, side: Side, y: i32): void {
  while (side.cellsDone <= rowBelow(y)) settleCells(scale, side, side.cellsDone++)
}

@inline
function toneRow(scale: Scale, channel: i32, row: i32): usize {
  return ringRow(scale.tones, SMOOTHED_ROWS, channel, row + 1, scale.pitch)
}

/** Makes pixels of the differences between cells that row y lies between. */
function readyTones(scale: Scale, y: i32): void {
  for (; scale.tonesDone <= rowBelow(y); scale.tonesDone++) {
    for (let channel = 0; channel < 3; channel++) {
      const cells = toneCellRow(scale, channel, scale.tonesDone)
      acrossCells(scale, cells, toneRow(scale, channel, scale.tonesDone))
    }
  }
}

/** The squared error of four pixels of the low band. */
@inline
function toneOf(aboveX: usize, belowX: usize, aboveY: usize, belowY: usize, aboveB: usize, belowB: usize, part: v128, k: usize): v128 {
  const dx = between(aboveX + k, belowX + k, part)
  const dy = between(aboveY + k, belowY + k, part)
  const db = between(aboveB + k, belowB + k, part)
  return f32x4.add(f32x4.add(f32x4.mul(dx, dx), f32x4.mul(dy, dy)), f32x4.mul(db, db))
}

/** The squared errors of row y of the low band; both sides' cells around it have been smoothed. */
export function settleTone(scale: Scale, y: i32, to: usize): void {
  readyTones(scale, y)
  const stride = scale.stride
  const part = f32x4.splat(partBelow(y))
  const below = rowBelow(y)
  const aboveX = toneRow(scale, 0, below - 1)
  const aboveY = toneRow(scale, 1, below - 1)
  const aboveB = toneRow(scale, 2, below - 1)
  const belowX = toneRow(scale, 0, below)
  const belowY = toneRow(scale, 1, below)
  const belowB = toneRow(scale, 2, below)
  for (let x: usize = 0; x < stride; x += 32) {
    const lower = toneOf(aboveX + x, belowX + x, aboveY + x, belowY + x, aboveB + x, belowB + x, part, 0)
    storePair(to + x, lower, toneOf(aboveX + x, belowX + x, aboveY + x, belowY + x, aboveB + x, belowB + x, part, 16))
  }
}
