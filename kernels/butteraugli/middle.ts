/**
 * The middle Gaussian (sigma 3.22) on cells of 2 x 2 px: every second of four neighbours weighed 1 3 3 1, seven taps along and down, straight lines
 * between the cells' centres. A fifth of the work of 15 taps at every pixel. The taps were fitted by least squares, so that
 * all of it together comes nearest to the definition's Gaussian, cut off at 2.25 sigma: its response is met within 1 % at every frequency.
 */
import { all } from '../common/broadcast'
import { loadAlong, storePair } from '../common/pairs'
import { removeLowBlue } from './coarse'
import { MIDDLE_CELL_ROWS, MIDDLE_SMOOTHED_ROWS, REST_ROWS, Scale, Side, clear, halved, ringRow, scratchRow } from './layout'

const REACH: i32 = 3
/** Rows of pixels below one that its middle band needs. */
export const MIDDLE_REACH: i32 = 9
const taps = memory.data<f32>([0.136492, 0.1089282, 0.0554451, 0.018688])
/** The same, and the same sum, for B, whose cells are plain means: the response is met within 0.008 at every frequency. */
const blueTaps = memory.data<f32>([0.1328477, 0.1080449, 0.0560496, 0.0207889])
/** Weights of the two pixels of a cell and of its neighbours; twice each, because a quarter of a cell is two floats of the four weighted. */
const inner = memory.data<f32>([0.375])
const outer = memory.data<f32>([0.125])
const own = memory.data<f32>([0.75])
const next = memory.data<f32>([0.25])

/** Bytes of a row of cells, whole vectors. */
@inline
function cellBytes(scale: Scale): usize {
  return scale.stride >> 1
}

/** Share of a cell's weights that lies inside the image. */
function insideCell(cell: i32, size: i32): f32 {
  if (cell < 0 || cell >= halved(size)) return 0
  const first = 2 * cell
  let sum = load<f32>(inner)
  if (first > 0) sum += load<f32>(outer)
  if (first + 1 < size) sum += load<f32>(inner)
  if (first + 2 < size) sum += load<f32>(outer)
  return sum
}

function insideTaps(cell: i32, size: i32): f32 {
  let sum: f32 = 0
  for (let i = -REACH; i <= REACH; i++) sum += load<f32>(taps + (<usize>abs(i) << 2)) * insideCell(cell + i, size)
  return sum
}

/** The nearer neighbour of a pixel's own cell. */
@inline
function beside(place: i32): i32 {
  return (place >> 1) + (place & 1 ? 1 : -1)
}

/** Factor that compensates for weights outside of the image, and makes their sum 1. */
function factorAt(place: i32, size: i32): f32 {
  return <f32>1 / (load<f32>(own) * insideTaps(place >> 1, size) + load<f32>(next) * insideTaps(beside(place), size))
}

/** The factor where all weights lie inside. */
function factorInside(): f32 {
  let sum: f32 = load<f32>(taps)
  for (let i: usize = 1; i <= <usize>REACH; i++) sum += 2 * load<f32>(taps + (i << 2))
  return <f32>1 / sum
}

/** By column, and relative to the factor inside: 1 but near the edges. */
export function fillMiddleFactors(scale: Scale): void {
  const inside = factorInside()
  for (let x = 0; x < scale.width; x++) store<f32>(scale.middleFactors + (<usize>x << 2), factorAt(x, scale.width) / inside)
}

/** A row of what is above the low band, or zeros. */
@inline
function restRow(scale: Scale, side: Side, channel: i32, y: i32): usize {
  return y >= 0 && y < scale.height ? ringRow(side.rest, REST_ROWS, channel, y, scale.pitch) : scale.zeros
}

@inline
function evens(at: usize): v128 {
  return v128.shuffle<f32>(v128.load(at), v128.load(at, 16), 0, 2, 4, 6)
}

@inline
function weigh(inside: v128, outside: v128): v128 {
  return f32x4.add(f32x4.mul(inside, all(inner)), f32x4.mul(outside, all(outer)))
}

/** Four columns of the rows of a cell and of those above and below it, weighed. */
@inline
function weighRows(above: usize, first: usize, second: usize, below: usize, k: usize): v128 {
  const inside = f32x4.add(v128.load(first + k), v128.load(second + k))
  return weigh(inside, f32x4.add(v128.load(above + k), v128.load(below + k)))
}

/** Four cells smoothed by seven taps, from `at` on. */
@inline
function alongCells(at: usize, other: usize, taps: usize, k: usize): v128 {
  const one = f32x4.mul(f32x4.add(loadAlong(at, other, 8, k), loadAlong(at, other, 16, k)), all(taps + 4))
  const near = f32x4.add(f32x4.mul(loadAlong(at, other, 12, k), all(taps)), one)
  const two = f32x4.mul(f32x4.add(loadAlong(at, other, 4, k), loadAlong(at, other, 20, k)), all(taps + 8))
  const three = f32x4.mul(f32x4.add(loadAlong(at, other, 0, k), loadAlong(at, other, 24, k)), all(taps + 12))
  return f32x4.add(near, f32x4.add(two, three))
}

/** Smooths a row of cells along itself: one more vector on either side. */
@inline
function smoothAlong(scale: Scale, cells: usize, taps: usize, to: usize): void {
  const bytes = cellBytes(scale)
  clear(cells + (<usize>halved(scale.width) << 2), cells + bytes + 32)
  clear(cells - 32, cells)
  const leftmost = cells - 28
  const other = leftmost - 16
  for (let x: usize = 0; x < bytes + 32; x += 32) {
    storePair(to - 16 + x, alongCells(leftmost + x, other + x, taps, 0), alongCells(leftmost + x, other + x, taps, 16))
  }
}

/** Row `row` of a channel's cells, smoothed along; the rows of pixels up to the one below it are there. */
function takeCells(scale: Scale, side: Side, channel: i32, row: i32): void {
  const stride = scale.stride
  const above = restRow(scale, side, channel, 2 * row - 1)
  const first = restRow(scale, side, channel, 2 * row)
  const second = restRow(scale, side, channel, 2 * row + 1)
  const below = restRow(scale, side, channel, 2 * row + 2)
  const sums = scratchRow(3)
  for (let x: usize = 0; x < stride; x += 32) {
    const lower = weighRows(above + x, first + x, second + x, below + x, 0)
    storePair(sums + x, lower, weighRows(above + x, first + x, second + x, below + x, 16))
  }
  v128.store(sums + scale.stride, f32x4.splat(0))
  v128.store(sums + scale.stride, f32x4.splat(0), 16)
  const cells = scratchRow(7)
  const bytes = cellBytes(scale)
  for (let x: usize = 0; x < bytes; x += 16) {
    const at = sums - 4 + 2 * x
    v128.store(cells + x, weigh(f32x4.add(evens(at + 4), evens(at + 8)), f32x4.add(evens(at), evens(at + 12))))
  }
  smoothAlong(scale, cells, taps, ringRow(side.middle, MIDDLE_CELL_ROWS, channel, row, scale.middlePitch))
}

/** Row `row` of what the candidate's B differs by, without its low band, as a row of cells: smoothed along. Rows and columns at the edges weigh what those of other cells do. */
export function takeBlueRest(scale: Scale, side: Side, row: i32): void {
  const cells = scratchRow(7)
  removeLowBlue(scale, side, row, insideCell(row, scale.height), cells)
  const last = halved(scale.width) - 1
  store<f32>(cells, load<f32>(cells) * insideCell(0, scale.width))
  store<f32>(cells + (<usize>last << 2), load<f32>(cells + (<usize>last << 2)) * insideCell(last, scale.width))
  smoothAlong(scale, cells, blueTaps, ringRow(side.middle, MIDDLE_CELL_ROWS, 2, row, scale.middlePitch))
}

/** Row y of what is above the low band is there: completes the rows of cells that reach no further. */
export function takeRest(scale: Scale, side: Side, y: i32): void {
  const until = y == scale.height - 1 ? halved(scale.height) : y >> 1
  for (; side.middleCells < until; side.middleCells++) {
    for (let channel = 0; channel < 2; channel++) takeCells(scale, side, channel, side.middleCells)
  }
}

@inline
function cellRow(scale: Scale, side: Side, channel: i32, row: i32): usize {
  const inside = row >= 0 && row < halved(scale.height)
  return inside ? ringRow(side.middle, MIDDLE_CELL_ROWS, channel, row, scale.middlePitch) : scale.zeros
}

@inline
function smoothedRow(scale: Scale, side: Side, channel: i32, row: i32): usize {
  return ringRow(side.middleSmoothed, MIDDLE_SMOOTHED_ROWS, channel, row + 1, scale.pitch)
}

@inline
function pair(above: usize, below: usize, tap: usize): v128 {
  return f32x4.mul(f32x4.add(v128.load(above), v128.load(below)), all(tap))
}

/** Weighted sum of four cells of a row and of its neighbours; then of the rows further off. */
@inline
function nearRows(centre: usize, above: usize, below: usize, taps: usize, k: usize): v128 {
  return f32x4.add(f32x4.mul(v128.load(centre + k), all(taps)), pair(above + k, below + k, taps + 4))
}

@inline
function farRows(a2: usize, b2: usize, a3: usize, b3: usize, taps: usize, k: usize): v128 {
  return f32x4.add(pair(a2 + k, b2 + k, taps + 8), pair(a3 + k, b3 + k, taps + 12))
}

@inline
function between(mine: v128, other: v128): v128 {
  return f32x4.add(mine, f32x4.mul(f32x4.sub(other, mine), all(next)))
}

/** Bytes at either end of a row in which taps may lie outside. */
const EDGE: usize = 64

/** Multiplies some of a row's pixels by what makes up for taps outside. */
function makeUp(factors: usize, to: usize, from: usize, until: usize): void {
  for (let x = from; x < until; x += 16) v128.store(to + x, f32x4.mul(v128.load(to + x), v128.load(factors + x)))
}

/** A row of cells to one of twice as many, on straight lines between the cells' centres. */
export function halvesOfCells(cells: usize, to: usize, bytes: usize): void {
  for (let x: usize = 0; x < bytes; x += 32) {
    const at = cells - 4 + (x >> 1)
    const centre = v128.load(at, 4)
    const left = between(centre, v128.load(at))
    const right = between(centre, v128.load(at, 8))
    v128.store(to + x, v128.shuffle<f32>(left, right, 0, 4, 1, 5))
    v128.store(to + x, v128.shuffle<f32>(left, right, 2, 6, 3, 7), 16)
  }
}

/** The same with what makes up for weights outside of the image. */
function acrossToEdges(scale: Scale, cells: usize, to: usize): void {
  const stride = scale.stride
  halvesOfCells(cells, to, stride)
  makeUp(scale.middleFactors, to, 0, EDGE)
  makeUp(scale.middleFactors, to, max(EDGE, stride - 2 * EDGE), stride)
}

/** Smooths the rows of a channel's cells around one down the image. */
@inline
function smoothDown(scale: Scale, side: Side, channel: i32, row: i32, taps: usize, to: usize): void {
  const bytes = cellBytes(scale) + 32
  const centre = cellRow(scale, side, channel, row) - 16
  const a1 = cellRow(scale, side, channel, row - 1) - 16
  const a2 = cellRow(scale, side, channel, row - 2) - 16
  const a3 = cellRow(scale, side, channel, row - 3) - 16
  const b1 = cellRow(scale, side, channel, row + 1) - 16
  const b2 = cellRow(scale, side, channel, row + 2) - 16
  const b3 = cellRow(scale, side, channel, row + 3) - 16
  for (let x: usize = 0; x < bytes; x += 32) {
    const near = nearRows(centre + x, a1 + x, b1 + x, taps, 0)
    const near2 = nearRows(centre + x, a1 + x, b1 + x, taps, 16)
    const far = farRows(a2 + x, b2 + x, a3 + x, b3 + x, taps, 0)
    const far2 = farRows(a2 + x, b2 + x, a3 + x, b3 + x, taps, 16)
    storePair(to - 16 + x, f32x4.add(near, far), f32x4.add(near2, far2))
  }
}

/** Smooths the rows of X's and Y's cells around one down the image, and of the candidate's B. A row of pixels is made of each, once for the two rows that lie nearest. */
function settleCells(scale: Scale, side: Side, row: i32): void {
  const cells = scratchRow(7)
  for (let channel = 0; channel < 2; channel++) {
    smoothDown(scale, side, channel, row, taps, cells)
    acrossToEdges(scale, cells, smoothedRow(scale, side, channel, row))
  }
  if (side.isReference) return
  smoothDown(scale, side, 2, row, blueTaps, cells)
  acrossToEdges(scale, cells, smoothedRow(scale, side, 2, row))
}

/** Makes the smoothed rows of cells ready that row y lies between. */
export function readyMiddle(scale: Scale, side: Side, y: i32): void {
  while (side.middleSettled <= max(y >> 1, beside(y))) settleCells(scale, side, side.middleSettled++)
}

/** The two rows of smoothed cells around row y of a channel: that of its own cells, and the nearer neighbour. */
@inline
export function ownRow(scale: Scale, side: Side, channel: i32, y: i32): usize {
  return smoothedRow(scale, side, channel, y >> 1)
}

@inline
export function besideRow(scale: Scale, side: Side, channel: i32, y: i32): usize {
  return smoothedRow(scale, side, channel, beside(y))
}

/** Factor of both rows. */
export function factorOfRow(scale: Scale, y: i32): f32 {
  return factorAt(y, scale.height) * factorInside()
}

/** Four columns of the middle band between both rows. */
@inline
export function middleOf(mine: usize, other: usize, factor: v128, k: usize): v128 {
  return f32x4.mul(between(v128.load(mine + k), v128.load(other + k)), factor)
}

/** Row y of the middle band of a channel, of the candidate's B what it differs by; rows up to y + 9 of what it is made of have been taken. */
export function middleRow(scale: Scale, side: Side, channel: i32, y: i32, to: usize): void {
  const stride = scale.stride
  const mine = ownRow(scale, side, channel, y)
  const other = besideRow(scale, side, channel, y)
  const factor = f32x4.splat(factorOfRow(scale, y))
  for (let x: usize = 0; x < stride; x += 32) {
    storePair(to + x, middleOf(mine + x, other + x, factor, 0), middleOf(mine + x, other + x, factor, 16))
  }
}
