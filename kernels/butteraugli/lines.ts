/**
 * The line detectors ("Malta"): what differs is summed along short lines of many directions, so that an error which forms
 * a line or an edge counts more than the same error scattered.
 */
import { all } from '../common/broadcast'
import { loadAlong, storePair } from '../common/pairs'
import { DETAIL_ROWS, DIFFERENCE_ROWS, GROUP, MARGIN, Scale, ringRow, zeroRow } from './layout'

/** Maps that the line detectors read: differences of the middle, high and finest band, X and Y each. */
export const MIDDLE_X: i32 = 0
export const MIDDLE_Y: i32 = 1
export const HIGH_X: i32 = 2
export const HIGH_Y: i32 = 3
export const FINE_X: i32 = 4
export const FINE_Y: i32 = 5

/**
 * Maps hold two bands as 16-bit numbers, in the lower and the upper half of 32 bits. One instruction adds eight samples; another squares them
 * and adds both squares. The maps: middle and high band, X; the same, Y; finest band, X and Y.
 */
export const SPARSE_X: i32 = 0
export const SPARSE_Y: i32 = 1
export const DENSE: i32 = 2

/**
 * Steps per unit, and the largest whole number: four lines of five (nine) samples of two maps must stay below 2^31. The largest stands for
 * a difference of 51 (7 in the finest band, whose values are limited). Distances of 50 and more come out up to 5 % too small.
 */
const SPARSE_STEPS: f32 = 64
const SPARSE_MOST: f64 = 3270
const DENSE_STEPS: f32 = 256
const DENSE_MOST: f64 = 1800

const ASYMMETRY: f64 = 0.8
/** Weights of an error that makes a signal smaller and of one that makes it larger; what the signal is damped by. */
const shrinkWeights = memory.data<f64>([
  8246.75321353, 37.0819870399, 6923.99476109, 18.7237414387, 173.5, 1.10039032555,
])
const norms = memory.data<f64>([1009002.70582, 130262059.556, 8051.15833247, 4498534.45232, 5.0, 71.7800275169])
const sparse: f64 = 0.611612573796
const dense: f64 = 0.39905817637
/** For each: twice the factor of the difference, of the excess and the norm (what divides is twice a mean); largest and smallest whole number. */
const factors: usize = memory.data(6 * 20, 16)

function asymmetryOf(map: i32): f64 {
  return map < HIGH_X ? 1 : map < FINE_X ? Math.sqrt(ASYMMETRY) : ASYMMETRY
}

export function fillFactors(): void {
  for (let map = 0; map < 6; map++) {
    const at = <usize>map << 3
    const weight = load<f64>(shrinkWeights + at)
    const norm = load<f64>(norms + at)
    const isDense = map >= FINE_X
    const steps = <f64>(isDense ? DENSE_STEPS : SPARSE_STEPS)
    const scale = (((isDense ? dense : sparse) * steps) / (2 * 3.75 + 1)) * norm
    const asymmetry = asymmetryOf(map)
    const most = isDense ? DENSE_MOST : SPARSE_MOST
    const to = factorsOf(map)
    store<f32>(to, <f32>(2 * scale * Math.sqrt(0.5 * weight * asymmetry)))
    store<f32>(to + 4, <f32>(2 * scale * Math.sqrt((0.33 * weight) / asymmetry)))
    store<f32>(to + 8, <f32>(2 * norm))
    store<f32>(to + 12, <f32>most)
    store<f32>(to + 16, <f32>-most)
  }
}

@inline
function factorsOf(map: i32): usize {
  return factors + <usize>map * 20
}

const tooSmall = memory.data<f32>([0.55])
const tooBig = memory.data<f32>([1.05])
const signBit = memory.data<i32>([0x80000000])
/** Added to a small number it leaves this rounded to a whole one in the lower bits. */
const rounding = memory.data<f32>([12582912])
const lowerHalf = memory.data<i32>([0xffff])

/** The signed error that lines are sought in: a difference, and more where the signal falls below 0.55 or exceeds 1.05 of what it was; in steps, a whole number in the lower 16 bits. */
@inline
export function differ(map: i32, was: v128, is: v128): v128 {
  const to = factorsOf(map)
  const sign = v128.and(was, all(signBit))
  const size = v128.xor(was, sign)
  const now = v128.xor(is, sign)
  const allowed = f32x4.pmax(f32x4.mul(size, all(tooSmall)), f32x4.pmin(f32x4.mul(size, all(tooBig)), now))
  const excess = f32x4.mul(f32x4.sub(allowed, now), all(to + 4))
  const error = f32x4.add(f32x4.mul(f32x4.sub(size, now), all(to)), excess)
  const damping = f32x4.add(all(to + 8), f32x4.add(size, v128.andnot(is, all(signBit))))
  const signed = v128.xor(f32x4.div(error, damping), sign)
  return f32x4.add(f32x4.pmax(f32x4.pmin(signed, all(to + 12)), all(to + 16)), all(rounding))
}

@inline
export function lower(rounded: v128): v128 {
  return v128.and(rounded, all(lowerHalf))
}

@inline
export function upper(rounded: v128): v128 {
  return i32x4.shl(rounded, 16)
}

@inline
export function differenceRow(scale: Scale, map: i32, y: i32): usize {
  return ringRow(scale.differences, DIFFERENCE_ROWS, map, y, scale.pitch)
}

/** One byte for each group of columns, and one before and after: whether the row holds anything there. */
@inline
export function blockRow(scale: Scale, map: i32, y: i32): usize {
  return scale.blocks + <usize>(map * DIFFERENCE_ROWS + (y % DIFFERENCE_ROWS)) * scale.blockPitch + 1
}

/** Bytes that a line reaches to either side. */
const REACH: usize = 16
/** Addresses of the nine rows around the one in hand, as far left as lines reach; the same 16 bytes further left, for `loadAlong`; and of their blocks. */
const rows: usize = memory.data(9 * 4, 16)
const others: usize = memory.data(9 * 4, 16)
const blocks: usize = memory.data(9 * 4, 16)

function aim(scale: Scale, map: i32, y: i32): void {
  for (let k = 0; k < 9; k++) {
    const row = y + k - 4
    const inside = row >= 0 && row < scale.height
    const at = (inside ? differenceRow(scale, map, row) : zeroRow + MARGIN) - REACH
    store<usize>(rows + (<usize>k << 2), at)
    store<usize>(others + (<usize>k << 2), at - 16)
    store<usize>(blocks + (<usize>k << 2), inside ? blockRow(scale, map, row) : zeroRow + 1)
  }
}

/** Whether all nine rows are zero in a group of columns and in its neighbours. */
@inline
function isEmpty(group: usize): bool {
  for (let k: usize = 0; k < 36; k += 4) {
    if (load<u32>(load<usize>(blocks + k) + group - 1) & 0xffffff) return false
  }
  return true
}

/** The squares of four lines in both maps, added up. */
@inline
function squares(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = i32x4.add(i32x4.dot_i16x8_s(a, a), i32x4.dot_i16x8_s(b, b))
  const cd = i32x4.add(i32x4.dot_i16x8_s(c, c), i32x4.dot_i16x8_s(d, d))
  return f32x4.convert_i32x4_s(i32x4.add(ab, cd))
}

@inline
function add(a: v128, b: v128): v128 {
  return i16x8.add(a, b)
}

/** Samples of one of the nine rows, `dx` columns right of those at byte x. */
@inline
function sample(row: usize, dx: isize, x: usize, k: usize): v128 {
  const at = load<usize>(rows + (row << 2)) + x
  const other = load<usize>(others + (row << 2)) + x
  return loadAlong(at, other, REACH + (dx << 2), k)
}

/** Sum of the two samples that lie opposite to each other around a pixel. */
@inline
function pair(above: usize, below: usize, dx: isize, x: usize, k: usize): v128 {
  return i16x8.add(sample(above, -dx, x, k), sample(below, dx, x, k))
}

const perSparseStep = memory.data<f32>([<f32>1 / (SPARSE_STEPS * SPARSE_STEPS)])
const perDenseStep = memory.data<f32>([<f32>1 / (DENSE_STEPS * DENSE_STEPS)])

/** Sixteen lines of five samples each, every second one. */
@inline
function sparseLines(x: usize, k: usize): v128 {
  const c = sample(4, 0, x, k)
  const straight = squares(
    add(c, add(pair(4, 4, 2, x, k), pair(4, 4, 4, x, k))), add(c, add(pair(2, 6, 0, x, k), pair(0, 8, 0, x, k))),
    add(c, add(pair(2, 6, 2, x, k), pair(1, 7, 3, x, k))), add(c, add(pair(2, 6, -2, x, k), pair(1, 7, -3, x, k))),
  )
  const steepLeft = add(c, pair(2, 6, -1, x, k))
  const steepRight = add(c, pair(2, 6, 1, x, k))
  const steep = squares(
    add(steepLeft, pair(0, 8, -1, x, k)), add(steepLeft, pair(1, 7, -2, x, k)),
    add(steepRight, pair(0, 8, 1, x, k)), add(steepRight, pair(1, 7, 2, x, k)),
  )
  const falling = add(c, pair(3, 5, 2, x, k))
  const rising = add(c, pair(3, 5, -2, x, k))
  const level = squares(
    add(falling, pair(3, 5, 4, x, k)), add(falling, pair(2, 6, 3, x, k)), add(rising, pair(3, 5, -4, x, k)), add(rising, pair(2, 6, -3, x, k)),
  )
  const diagonal = squares(
    add(steepLeft, pair(0, 8, -2, x, k)), add(steepRight, pair(0, 8, 2, x, k)), add(falling, pair(2, 6, 4, x, k)), add(rising, pair(2, 6, -4, x, k)),
  )
  return f32x4.mul(f32x4.add(f32x4.add(straight, steep), f32x4.add(level, diagonal)), all(perSparseStep))
}

/** Sixteen lines of seven or nine neighbouring samples; four of them come twice in the definition. */
@inline
function denseLines(x: usize, k: usize): v128 {
  const c = sample(4, 0, x, k)
  const flat = add(c, pair(4, 4, 1, x, k))
  const upright = add(c, pair(3, 5, 0, x, k))
  const down = add(c, pair(3, 5, 1, x, k))
  const up = add(c, pair(3, 5, -1, x, k))
  const left = pair(2, 6, -1, x, k)
  const right = pair(2, 6, 1, x, k)
  const falling = pair(3, 5, 2, x, k)
  const rising = pair(3, 5, -2, x, k)
  const straight = squares(
    add(flat, add(pair(4, 4, 2, x, k), add(pair(4, 4, 3, x, k), pair(4, 4, 4, x, k)))),
    add(upright, add(pair(2, 6, 0, x, k), add(pair(1, 7, 0, x, k), pair(0, 8, 0, x, k)))),
    add(down, add(pair(2, 6, 2, x, k), pair(1, 7, 3, x, k))), add(up, add(pair(2, 6, -2, x, k), pair(1, 7, -3, x, k))),
  )
  const bent = squares(
    add(add(up, left), pair(1, 7, -2, x, k)), add(add(down, right), pair(1, 7, 2, x, k)),
    add(add(down, falling), pair(2, 6, 3, x, k)), add(add(up, rising), pair(2, 6, -3, x, k)),
  )
  const twice = squares(
    add(add(upright, left), add(pair(1, 7, -1, x, k), pair(0, 8, -1, x, k))), add(add(upright, right), add(pair(1, 7, 1, x, k), pair(0, 8, 1, x, k))),
    add(add(flat, falling), add(pair(3, 5, 3, x, k), pair(3, 5, 4, x, k))), add(add(flat, rising), add(pair(3, 5, -3, x, k), pair(3, 5, -4, x, k))),
  )
  return f32x4.mul(f32x4.add(f32x4.add(straight, bent), f32x4.add(twice, twice)), all(perDenseStep))
}

/** Adds what the lines through row y of a map hold to the squared error of that row. */
@inline
function addLines(scale: Scale, map: i32, y: i32, isDense: bool): void {
  const stride = scale.stride
  aim(scale, map, y)
  const to = ringRow(scale.detail, DETAIL_ROWS, 0, y, scale.pitch)
  for (let group: usize = 0; group < stride; group += GROUP) {
    if (isEmpty(group / GROUP)) continue
    for (let x = group; x < group + GROUP; x += 32) {
      const lower = isDense ? denseLines(x, 0) : sparseLines(x, 0)
      const upper = isDense ? denseLines(x, 16) : sparseLines(x, 16)
      const at = to + x
      storePair(at, f32x4.add(v128.load(at), lower), f32x4.add(v128.load(at, 16), upper))
    }
  }
}

function addSparseLines(scale: Scale, map: i32, y: i32): void {
  addLines(scale, map, y, false)
}

function addDenseLines(scale: Scale, map: i32, y: i32): void {
  addLines(scale, map, y, true)
}

/** Row y of all maps, whose rows up to y + 4 are there. */
export function seekLines(scale: Scale, y: i32): void {
  addSparseLines(scale, SPARSE_X, y)
  addSparseLines(scale, SPARSE_Y, y)
  addDenseLines(scale, DENSE, y)
}
