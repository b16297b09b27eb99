/**
 * The opsin channels are split into bands: low (below sigma 7.16), middle (below 3.22), high (below 1.56) and finest. The
 * reference's are kept; the candidate's are set against them at once.
 */
import { all } from '../common/broadcast'
import { storePair } from '../common/pairs'
import { FINE_BLUR, aimSeven, blurAlong, downSeven, factorOfSeven } from './blur'
import { completesBlue } from './blue'
import { readyCells, removeLow } from './coarse'
import {
  DETAIL_ROWS, FINE, FINE_ROWS, GROUP, HIGH, HIGH_ROWS, MIDDLE, REST_ROWS, Scale, Side, clear, clearTail, markRow, planeRow, ringRow,
  scratchRow, zeroRow,
} from './layout'
import {
  DENSE, FINE_X, FINE_Y, HIGH_X, HIGH_Y, MIDDLE_X, MIDDLE_Y, SPARSE_X, SPARSE_Y, blockRow, differ, differenceRow, lower, upper,
} from './lines'
import { besideRow, factorOfRow, middleOf, middleRow, ownRow, readyMiddle, takeBlueRest, takeRest } from './middle'
import { settleSmallLow, settleSmallMiddle } from './small'

/** Widths of the ranges around zero that are removed or amplified, and the limits of values: the largest and the smallest. */
const removedMiddle = memory.data<f32>([0.29, -0.29])
const addedMiddle = memory.data<f32>([0.1, -0.1])
const weightMiddleX = memory.data<f32>([2150.0])
const weightMiddleY = memory.data<f32>([10.6195433239])
const weightMiddleB = memory.data<f32>([16.2176043152])

/** Red against green is damped where luma changes. */
const suppression = memory.data<f32>([46.0])
const unsuppressed = memory.data<f32>([0.653020556257])
const suppressible = memory.data<f32>([0.346979443743 * 46.0])

const removedHigh = memory.data<f32>([1.5, -1.5])
const addedHigh = memory.data<f32>([0.132, -0.132])
const removedFine = memory.data<f32>([0.04, -0.04])
const limitHigh = memory.data<f32>([28.4691806922, -28.4691806922])
const limitFine = memory.data<f32>([5.19175294647, -5.19175294647])
const beyondLimit = memory.data<f32>([0.724216145665])
const gainHigh = memory.data<f32>([2.155])
const gainFine = memory.data<f32>([2.69313763794])

/** Weights of the high band's squared errors: 0.8 of weight times and over the asymmetry of 0.8. */
const differenceX = memory.data<f32>([400.0 * 0.8 * 0.8])
const excessX = memory.data<f32>([400.0])
const differenceY = memory.data<f32>([1.50815703118 * 0.8 * 0.8])
const excessY = memory.data<f32>([1.50815703118])
const tooSmall = memory.data<f32>([0.4])
const signBit = memory.data<i32>([0x80000000])

/** Clamps to the largest and the smallest value at `limit`. */
@inline
function clamped(v: v128, limit: usize): v128 {
  return f32x4.pmax(f32x4.pmin(v, all(limit)), all(limit + 4))
}

/** Values nearer to zero than w become zero; the others move by w towards it. */
@inline
function removeNearZero(v: v128, w: usize): v128 {
  return f32x4.sub(v, clamped(v, w))
}

/** Values nearer to zero than w are doubled; the others move by w away from it. */
@inline
function amplifyNearZero(v: v128, w: usize): v128 {
  return f32x4.add(v, clamped(v, w))
}

/** Reduces the part of a value that exceeds a limit. */
@inline
function limited(v: v128, limit: usize): v128 {
  const inside = clamped(v, limit)
  return f32x4.add(inside, f32x4.mul(f32x4.sub(v, inside), all(beyondLimit)))
}

@inline
function addSquare(sum: v128, was: v128, is: v128, weight: usize): v128 {
  const d = f32x4.sub(was, is)
  return f32x4.add(sum, f32x4.mul(f32x4.mul(d, d), all(weight)))
}

/** The squared difference, and the squared excess below 0.4 of what was and above it. */
@inline
function addAsymmetric(sum: v128, was: v128, is: v128, difference: usize, excess: usize): v128 {
  const sign = v128.and(was, all(signBit))
  const size = v128.xor(was, sign)
  const now = v128.xor(is, sign)
  const allowed = f32x4.pmax(f32x4.mul(size, all(tooSmall)), f32x4.pmin(size, now))
  const beyond = f32x4.sub(allowed, now)
  return f32x4.add(addSquare(sum, was, is, difference), f32x4.mul(f32x4.mul(beyond, beyond), all(excess)))
}

/** Finishes the residual above the low band in row y. */
export function settleLow(scale: Scale, side: Side, y: i32): void {
  if (scale.isSmall) {
    settleSmallLow(scale, side, y)
    return
  }
  readyCells(scale, side, y)
  for (let channel = 0; channel < 2; channel++) {
    const rest = ringRow(side.rest, REST_ROWS, channel, y, scale.pitch)
    removeLow(scale, side, channel, y, rest)
    clearTail(scale, rest)
  }
  takeRest(scale, side, y)
  if (!side.isReference && completesBlue(scale, y)) takeBlueRest(scale, side, y >> 1)
}

/**
 * Address of row y of a band: `k` 0 and 1 are the high band's X and Y, 2 and 3 the finest band's. The reference has planes, except for
 * the high band's X. That and the candidate, which is compared at once, go to scratch rows.
 */
@inline
export function highRowOf(scale: Scale, side: Side, k: i32, y: i32): usize {
  return side.isReference && k > 0 ? planeRow(scale, HIGH + k, y) : scratchRow(k)
}

/** X above the middle band, damped by Y above it. */
@inline
function suppressed(x: v128, luma: v128): v128 {
  const damping = f32x4.div(all(suppressible), f32x4.add(f32x4.mul(luma, luma), all(suppression)))
  return f32x4.mul(x, f32x4.add(damping, all(unsuppressed)))
}

/** The two rows that a channel's middle band in row y lies between; small images' is there, in `row`. */
@inline
function nearerRow(scale: Scale, side: Side, channel: i32, y: i32, row: usize): usize {
  return scale.isSmall ? row : ownRow(scale, side, channel, y)
}

@inline
function fartherRow(scale: Scale, side: Side, channel: i32, y: i32, row: usize): usize {
  return scale.isSmall ? row : besideRow(scale, side, channel, y)
}

/** Writes row y of the middle band (X, Y) to `rowX` and `rowY`, and the residual above it to `highX` and `highY`. */
function splitMiddle(scale: Scale, side: Side, y: i32, rowX: usize, rowY: usize, highX: usize, highY: usize): void {
  const stride = scale.stride
  const nearX = nearerRow(scale, side, 0, y, rowX)
  const nearY = nearerRow(scale, side, 1, y, rowY)
  const farX = fartherRow(scale, side, 0, y, rowX)
  const farY = fartherRow(scale, side, 1, y, rowY)
  const factor = f32x4.splat(scale.isSmall ? 1 : factorOfRow(scale, y))
  const restX = ringRow(side.rest, REST_ROWS, 0, y, scale.pitch)
  const restY = ringRow(side.rest, REST_ROWS, 1, y, scale.pitch)
  for (let x: usize = 0; x < stride; x += 32) {
    const middleY = middleOf(nearY + x, farY + x, factor, 0)
    const middleY2 = middleOf(nearY + x, farY + x, factor, 16)
    const luma = f32x4.sub(v128.load(restY + x), middleY)
    const luma2 = f32x4.sub(v128.load(restY + x, 16), middleY2)
    storePair(highY + x, luma, luma2)
    storePair(rowY + x, amplifyNearZero(middleY, addedMiddle), amplifyNearZero(middleY2, addedMiddle))
    const middleX = middleOf(nearX + x, farX + x, factor, 0)
    const middleX2 = middleOf(nearX + x, farX + x, factor, 16)
    const rest = f32x4.sub(v128.load(restX + x), middleX)
    const rest2 = f32x4.sub(v128.load(restX + x, 16), middleX2)
    storePair(highX + x, suppressed(rest, luma), suppressed(rest2, luma2))
    storePair(rowX + x, removeNearZero(middleX, removedMiddle), removeNearZero(middleX2, removedMiddle))
  }
}

/** Finishes row y of the middle band and of the residual above it. */
export function settleMiddle(scale: Scale, side: Side, y: i32): void {
  const pitch = scale.pitch
  const rowX = scratchRow(0)
  const rowY = side.isReference ? planeRow(scale, MIDDLE + 1, y) : scratchRow(1)
  if (scale.isSmall) settleSmallMiddle(scale, side, y, rowX, rowY)
  else {
    readyMiddle(scale, side, y)
    if (!side.isReference) middleRow(scale, side, 2, y, scratchRow(2))
  }
  const highX = ringRow(side.high, HIGH_ROWS, 0, y, pitch)
  const highY = ringRow(side.high, HIGH_ROWS, 1, y, pitch)
  splitMiddle(scale, side, y, rowX, rowY, highX, highY)
  clearTail(scale, highX)
  clearTail(scale, highY)
  blurAlong(scale, FINE_BLUR, highX, ringRow(side.fine, FINE_ROWS, 0, y, pitch))
  blurAlong(scale, FINE_BLUR, highY, ringRow(side.fine, FINE_ROWS, 1, y, pitch))
  if (side.isReference) keepMarked(scale, 0, MIDDLE, y)
  else compareMiddle(scale, y)
}

@inline
function either(a: usize, b: usize): v128 {
  return v128.or(v128.load(a), v128.load(b))
}

/** Whether a group of columns of a row holds anything but zeros. */
@inline
function holds(row: usize): u8 {
  return <u8>v128.any_true(v128.or(either(row, row + 16), either(row + 32, row + 48)))
}

/** Keeps of row y of X, from a scratch row, the groups of columns that hold anything, one after the other: in photographs hardly any does, below what is removed of it. */
function keepMarked(scale: Scale, band: i32, plane: i32, y: i32): void {
  const from = scratchRow(0)
  let to = planeRow(scale, plane, y)
  const marks = markRow(scale, band, y)
  const stride = scale.stride
  for (let group: usize = 0; group < stride; group += GROUP) {
    const mark = holds(from + group)
    store<u8>(marks + group / GROUP, mark)
    if (!mark) continue
    for (let x: usize = 0; x < GROUP; x += 16) v128.store(to + x, v128.load(from + group + x))
    to += GROUP
  }
}

@inline
function squareOf(difference: usize, weight: usize, k: usize): v128 {
  const d = v128.load(difference + k)
  return f32x4.mul(f32x4.mul(d, d), all(weight))
}

/** Eight columns of X in the middle band: adds to their squared errors, and puts what differs to the lower halves. */
@inline
function compareMiddleX(to: usize, differences: usize, was: usize, is: usize): void {
  const before = v128.load(was)
  const before2 = v128.load(was, 16)
  const now = v128.load(is)
  const now2 = v128.load(is, 16)
  const sum = addSquare(v128.load(to), before, now, weightMiddleX)
  storePair(to, sum, addSquare(v128.load(to, 16), before2, now2, weightMiddleX))
  storePair(differences, lower(differ(MIDDLE_X, before, now)), lower(differ(MIDDLE_X, before2, now2)))
}

/** The same of Y; the squared errors, the first ones, are those of B too, by what it differs. */
@inline
function compareMiddleY(to: usize, differences: usize, was: usize, is: usize, differenceB: usize): void {
  const before = v128.load(was)
  const before2 = v128.load(was, 16)
  const now = v128.load(is)
  const now2 = v128.load(is, 16)
  const sum = addSquare(squareOf(differenceB, weightMiddleB, 0), before, now, weightMiddleY)
  storePair(to, sum, addSquare(squareOf(differenceB, weightMiddleB, 16), before2, now2, weightMiddleY))
  storePair(differences, lower(differ(MIDDLE_Y, before, now)), lower(differ(MIDDLE_Y, before2, now2)))
}

/** Eight columns of the high band: adds to their squared errors, and what differs to the upper halves, which are zero so far. */
@inline
function compareHighEight(map: i32, to: usize, differences: usize, was: usize, is: usize, difference: usize, excess: usize): void {
  const before = v128.load(was)
  const before2 = v128.load(was, 16)
  const now = v128.load(is)
  const now2 = v128.load(is, 16)
  const middle = v128.load(differences)
  const middle2 = v128.load(differences, 16)
  const sum = addAsymmetric(v128.load(to), before, now, difference, excess)
  storePair(to, sum, addAsymmetric(v128.load(to, 16), before2, now2, difference, excess))
  storePair(differences, v128.or(middle, upper(differ(map, before, now))), v128.or(middle2, upper(differ(map, before2, now2))))
}

function compareMiddle(scale: Scale, y: i32): void {
  const stride = scale.stride
  let wasX = planeRow(scale, MIDDLE, y)
  const marksX = markRow(scale, 0, y)
  const wasY = planeRow(scale, MIDDLE + 1, y)
  const rowX = scratchRow(0)
  const rowY = scratchRow(1)
  const differenceB = scratchRow(2)
  const to = ringRow(scale.detail, DETAIL_ROWS, 0, y, scale.pitch)
  const toX = differenceRow(scale, SPARSE_X, y)
  const toY = differenceRow(scale, SPARSE_Y, y)
  const blocksX = blockRow(scale, SPARSE_X, y)
  const blocksY = blockRow(scale, SPARSE_Y, y)
  for (let x: usize = 0; x < stride; x += 32) compareMiddleY(to + x, toY + x, wasY + x, rowY + x, differenceB + x)
  for (let group: usize = 0; group < stride; group += GROUP) {
    store<u8>(blocksY + group / GROUP, holds(toY + group))
    const mark = load<u8>(marksX + group / GROUP)
    if (!mark && !holds(rowX + group)) {
      if (load<u8>(blocksX + group / GROUP)) clear(toX + group, toX + group + GROUP)
      store<u8>(blocksX + group / GROUP, 0)
      continue
    }
    const was = mark ? wasX : zeroRow
    if (mark) wasX += GROUP
    for (let x: usize = 0; x < GROUP; x += 32) compareMiddleX(to + group + x, toX + group + x, was + x, rowX + group + x)
    store<u8>(blocksX + group / GROUP, holds(toX + group))
  }
}

@inline
function fineYOf(whole: v128, high: v128): v128 {
  return f32x4.mul(limited(f32x4.sub(whole, high), limitFine), all(gainFine))
}

@inline
function highYOf(high: v128): v128 {
  return amplifyNearZero(f32x4.mul(high, all(gainHigh)), addedHigh)
}

/** Row y of X in the high and in the finest band. */
function splitFineX(scale: Scale, side: Side, y: i32, row: usize, fine: usize): void {
  const stride = scale.stride
  const whole = ringRow(side.high, HIGH_ROWS, 0, y, scale.pitch)
  const centre = aimSeven(scale, side.fine, 0, y)
  const factor = f32x4.splat(factorOfSeven(scale, y))
  for (let x: usize = 0; x < stride; x += 32) {
    const high = f32x4.mul(downSeven(centre, x, 0), factor)
    const high2 = f32x4.mul(downSeven(centre, x, 16), factor)
    const rest = f32x4.sub(v128.load(whole + x), high)
    const rest2 = f32x4.sub(v128.load(whole + x, 16), high2)
    storePair(fine + x, removeNearZero(rest, removedFine), removeNearZero(rest2, removedFine))
    storePair(row + x, removeNearZero(high, removedHigh), removeNearZero(high2, removedHigh))
  }
}

/** The same of Y. */
function splitFineY(scale: Scale, side: Side, y: i32, row: usize, fine: usize): void {
  const stride = scale.stride
  const whole = ringRow(side.high, HIGH_ROWS, 1, y, scale.pitch)
  const centre = aimSeven(scale, side.fine, 1, y)
  const factor = f32x4.splat(factorOfSeven(scale, y))
  for (let x: usize = 0; x < stride; x += 32) {
    const high = limited(f32x4.mul(downSeven(centre, x, 0), factor), limitHigh)
    const high2 = limited(f32x4.mul(downSeven(centre, x, 16), factor), limitHigh)
    storePair(fine + x, fineYOf(v128.load(whole + x), high), fineYOf(v128.load(whole + x, 16), high2))
    storePair(row + x, highYOf(high), highYOf(high2))
  }
}

/** Row y of the high and of the finest band: where `highRowOf` says. */
export function settleHigh(scale: Scale, side: Side, y: i32): void {
  splitFineX(scale, side, y, highRowOf(scale, side, 0, y), highRowOf(scale, side, 2, y))
  splitFineY(scale, side, y, highRowOf(scale, side, 1, y), highRowOf(scale, side, 3, y))
  if (side.isReference) {
    keepMarked(scale, 1, HIGH, y)
    return
  }
  compareHigh(scale, y)
  compareFine(scale, y)
}

/** The high band's differences join the middle band's of the same row, in the upper halves. */
function compareHigh(scale: Scale, y: i32): void {
  const stride = scale.stride
  let wasX = planeRow(scale, HIGH, y)
  const marksX = markRow(scale, 1, y)
  const wasY = planeRow(scale, HIGH + 1, y)
  const rowX = scratchRow(0)
  const rowY = scratchRow(1)
  const to = ringRow(scale.detail, DETAIL_ROWS, 0, y, scale.pitch)
  const toX = differenceRow(scale, SPARSE_X, y)
  const toY = differenceRow(scale, SPARSE_Y, y)
  const blocksX = blockRow(scale, SPARSE_X, y)
  const blocksY = blockRow(scale, SPARSE_Y, y)
  for (let x: usize = 0; x < stride; x += 32) {
    compareHighEight(HIGH_Y, to + x, toY + x, wasY + x, rowY + x, differenceY, excessY)
  }
  for (let group: usize = 0; group < stride; group += GROUP) {
    store<u8>(blocksY + group / GROUP, holds(toY + group))
    const mark = load<u8>(marksX + group / GROUP)
    if (!mark && !holds(rowX + group)) continue
    const was = mark ? wasX : zeroRow
    if (mark) wasX += GROUP
    for (let x: usize = 0; x < GROUP; x += 32) {
      compareHighEight(HIGH_X, to + group + x, toX + group + x, was + x, rowX + group + x, differenceX, excessX)
    }
    store<u8>(blocksX + group / GROUP, holds(toX + group))
  }
  clearTail(scale, toX)
  clearTail(scale, toY)
}

/** Differences of four columns of the finest band: X in the lower, Y in the upper halves. */
@inline
function fineDifferences(wasX: usize, isX: usize, wasY: usize, isY: usize, k: usize): v128 {
  const inLower = lower(differ(FINE_X, v128.load(wasX + k), v128.load(isX + k)))
  return v128.or(inLower, upper(differ(FINE_Y, v128.load(wasY + k), v128.load(isY + k))))
}

function compareFine(scale: Scale, y: i32): void {
  const stride = scale.stride
  const wasX = planeRow(scale, FINE, y)
  const wasY = planeRow(scale, FINE + 1, y)
  const rowX = scratchRow(2)
  const rowY = scratchRow(3)
  const to = differenceRow(scale, DENSE, y)
  const blocks = blockRow(scale, DENSE, y)
  for (let x: usize = 0; x < stride; x += 32) {
    const first = fineDifferences(wasX + x, rowX + x, wasY + x, rowY + x, 0)
    storePair(to + x, first, fineDifferences(wasX + x, rowX + x, wasY + x, rowY + x, 16))
  }
  for (let group: usize = 0; group < stride; group += GROUP) store<u8>(blocks + group / GROUP, holds(to + group))
  clearTail(scale, to)
}
