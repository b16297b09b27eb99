/**
 * The opsin channels are split into bands: low (below sigma 7.16), middle (below 3.22), high (below 1.56) and finest. The
 * reference's are kept; the candidate's are set against them at once.
 */
import { all } from '../common/broadcast'
import { FINE_BLUR, LOW_BLUR, MIDDLE_BLUR, blurAlong, blurDown } from './blur'
import { lowRow, readyCells } from './coarse'
import {
  DETAIL_ROWS, FINE, FINE_ROWS, GROUP, HIGH, HIGH_ROWS, LOW, MIDDLE, MIDDLE_ROWS, OPSIN_ROWS, REST_ROWS, Scale, Side,
  TONE_ROWS, clear, clearTail, planeRow, ringRow, scratchRow,
} from './layout'
import {
  DENSE, FINE_X, FINE_Y, HIGH_X, HIGH_Y, MIDDLE_X, MIDDLE_Y, SPARSE_X, SPARSE_Y, blockRow, differ, differenceRow, lower, upper,
} from './lines'
import { middleRow, readyMiddle, takeRest } from './middle'

/** Scales of the low band, times the roots of the weights of its squared errors; what blue takes of Y. */
const lowX = memory.data<f32>([32.2217497012 * 5.406975106230839])
const lowY = memory.data<f32>([13.7697791434 * 0.9190358921075934])
const lowB = memory.data<f32>([47.504615728 * 0.8388364725731708])
const blueFromY = memory.data<f32>([-0.362267051518])

const removedMiddle = memory.data<f32>([0.29])
const addedMiddle = memory.data<f32>([0.1])
const weightMiddleX = memory.data<f32>([2150.0])
const weightMiddleY = memory.data<f32>([10.6195433239])
const weightMiddleB = memory.data<f32>([16.2176043152])

/** Red against green is damped where luma changes. */
const suppression = memory.data<f32>([46.0])
const unsuppressed = memory.data<f32>([0.653020556257])
const suppressible = memory.data<f32>([0.346979443743])

const removedHigh = memory.data<f32>([1.5])
const addedHigh = memory.data<f32>([0.132])
const removedFine = memory.data<f32>([0.04])
const limitHigh = memory.data<f32>([28.4691806922])
const limitFine = memory.data<f32>([5.19175294647])
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

@inline
function clamped(v: v128, limit: v128): v128 {
  return f32x4.pmax(f32x4.pmin(v, limit), f32x4.neg(limit))
}

/** What is nearer to zero than w is removed, the rest moves by w towards it. */
@inline
function removeNearZero(v: v128, w: usize): v128 {
  return f32x4.sub(v, clamped(v, all(w)))
}

/** What is nearer to zero than w is doubled, the rest moves by w away from it. */
@inline
function amplifyNearZero(v: v128, w: usize): v128 {
  return f32x4.add(v, clamped(v, all(w)))
}

/** What exceeds a limit is reduced. */
@inline
function limited(v: v128, limit: usize): v128 {
  const inside = clamped(v, all(limit))
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
  const size = f32x4.abs(was)
  const now = v128.xor(is, v128.and(was, all(signBit)))
  const allowed = f32x4.pmax(f32x4.mul(size, all(tooSmall)), f32x4.pmin(size, now))
  const beyond = f32x4.sub(allowed, now)
  return f32x4.add(addSquare(sum, was, is, difference), f32x4.mul(f32x4.mul(beyond, beyond), all(excess)))
}

/** What `lowRow` does, for small images. */
function blurLow(scale: Scale, side: Side, channel: i32, y: i32, rest: usize): void {
  const stride = scale.stride
  const low = scratchRow(channel)
  blurDown(scale, LOW_BLUR, side.low, channel, y, low)
  const opsin = ringRow(side.opsin, OPSIN_ROWS, channel, y, scale.pitch)
  for (let x: usize = 0; x < stride; x += 16) v128.store(rest + x, f32x4.sub(v128.load(opsin + x), v128.load(low + x)))
}

/** Row y of the low band, and what is left above it. */
export function settleLow(scale: Scale, side: Side, y: i32): void {
  const pitch = scale.pitch
  if (!scale.isSmall) readyCells(scale, side, y)
  for (let channel = 0; channel < 3; channel++) {
    const rest = ringRow(side.rest, REST_ROWS, channel, y, pitch)
    if (scale.isSmall) blurLow(scale, side, channel, y, rest)
    else lowRow(scale, side, channel, y, scratchRow(channel), rest)
    clearTail(scale, rest)
    if (scale.isSmall) blurAlong(scale, MIDDLE_BLUR, rest, ringRow(side.middle, MIDDLE_ROWS, channel, y, pitch))
  }
  if (!scale.isSmall) takeRest(scale, side, y)
  if (side.isReference) keepLow(scale, y)
  else compareLow(scale, y)
}

@inline
function blueOf(b: v128, y: v128): v128 {
  return f32x4.mul(f32x4.add(b, f32x4.mul(y, all(blueFromY))), all(lowB))
}

function keepLow(scale: Scale, y: i32): void {
  const stride = scale.stride
  const rowX = scratchRow(0)
  const rowY = scratchRow(1)
  const rowB = scratchRow(2)
  const toX = planeRow(scale, LOW, y)
  const toY = planeRow(scale, LOW + 1, y)
  const toB = planeRow(scale, LOW + 2, y)
  for (let x: usize = 0; x < stride; x += 16) {
    const luma = v128.load(rowY + x)
    v128.store(toX + x, f32x4.mul(v128.load(rowX + x), all(lowX)))
    v128.store(toY + x, f32x4.mul(luma, all(lowY)))
    v128.store(toB + x, blueOf(v128.load(rowB + x), luma))
  }
}

function compareLow(scale: Scale, y: i32): void {
  const stride = scale.stride
  const rowX = scratchRow(0)
  const rowY = scratchRow(1)
  const rowB = scratchRow(2)
  const wasX = planeRow(scale, LOW, y)
  const wasY = planeRow(scale, LOW + 1, y)
  const wasB = planeRow(scale, LOW + 2, y)
  const to = ringRow(scale.tone, TONE_ROWS, 0, y, scale.pitch)
  for (let x: usize = 0; x < stride; x += 16) {
    const luma = v128.load(rowY + x)
    const dx = f32x4.sub(v128.load(wasX + x), f32x4.mul(v128.load(rowX + x), all(lowX)))
    const dy = f32x4.sub(v128.load(wasY + x), f32x4.mul(luma, all(lowY)))
    const db = f32x4.sub(v128.load(wasB + x), blueOf(v128.load(rowB + x), luma))
    v128.store(to + x, f32x4.add(f32x4.add(f32x4.mul(dx, dx), f32x4.mul(dy, dy)), f32x4.mul(db, db)))
  }
}

/** Where row y of a band is put: the reference's into a plane, the candidate's, which is compared at once, into a scratch row. */
@inline
function bandRow(scale: Scale, side: Side, plane: i32, y: i32, scratch: i32): usize {
  return side.isReference ? planeRow(scale, plane, y) : scratchRow(scratch)
}

@inline
function middleRowOf(scale: Scale, side: Side, channel: i32, y: i32): usize {
  return bandRow(scale, side, MIDDLE + channel, y, channel)
}

/** Row y of the high band (X, Y), then of the finest (X, Y), of the side that it was settled for last. */
@inline
export function highRowOf(scale: Scale, side: Side, k: i32, y: i32): usize {
  return bandRow(scale, side, HIGH + k, y, k)
}

/** Row y of the middle band, and what is left above it. */
export function settleMiddle(scale: Scale, side: Side, y: i32): void {
  const stride = scale.stride
  const pitch = scale.pitch
  const rowX = middleRowOf(scale, side, 0, y)
  const rowY = middleRowOf(scale, side, 1, y)
  if (!scale.isSmall) readyMiddle(scale, side, y)
  for (let channel = 0; channel < 3; channel++) {
    const to = middleRowOf(scale, side, channel, y)
    if (scale.isSmall) blurDown(scale, MIDDLE_BLUR, side.middle, channel, y, to)
    else middleRow(scale, side, channel, y, to)
  }
  const highX = ringRow(side.high, HIGH_ROWS, 0, y, pitch)
  const highY = ringRow(side.high, HIGH_ROWS, 1, y, pitch)
  const restX = ringRow(side.rest, REST_ROWS, 0, y, pitch)
  const restY = ringRow(side.rest, REST_ROWS, 1, y, pitch)
  for (let x: usize = 0; x < stride; x += 16) {
    const middleX = v128.load(rowX + x)
    const middleY = v128.load(rowY + x)
    const luma = f32x4.sub(v128.load(restY + x), middleY)
    const damping = f32x4.div(all(suppression), f32x4.add(f32x4.mul(luma, luma), all(suppression)))
    const factor = f32x4.add(f32x4.mul(damping, all(suppressible)), all(unsuppressed))
    v128.store(highX + x, f32x4.mul(f32x4.sub(v128.load(restX + x), middleX), factor))
    v128.store(highY + x, luma)
    v128.store(rowX + x, removeNearZero(middleX, removedMiddle))
    v128.store(rowY + x, amplifyNearZero(middleY, addedMiddle))
  }
  clearTail(scale, highX)
  clearTail(scale, highY)
  blurAlong(scale, FINE_BLUR, highX, ringRow(side.fine, FINE_ROWS, 0, y, pitch))
  blurAlong(scale, FINE_BLUR, highY, ringRow(side.fine, FINE_ROWS, 1, y, pitch))
  if (!side.isReference) compareMiddle(scale, y)
}

@inline
function holds(seen: v128): u8 {
  return <u8>v128.any_true(seen)
}

@inline
function either(a: usize, b: usize): v128 {
  return v128.or(v128.load(a), v128.load(b))
}

/** Whether a group of columns is zero in two rows: as X is, below what is removed of it, nearly everywhere in photographs. */
@inline
function isNothing(a: usize, b: usize): bool {
  const first = v128.or(either(a, b), either(a + 16, b + 16))
  return !v128.any_true(v128.or(first, v128.or(either(a + 32, b + 32), either(a + 48, b + 48))))
}

function compareMiddle(scale: Scale, y: i32): void {
  const stride = scale.stride
  const wasX = planeRow(scale, MIDDLE, y)
  const wasY = planeRow(scale, MIDDLE + 1, y)
  const wasB = planeRow(scale, MIDDLE + 2, y)
  const rowX = scratchRow(0)
  const rowY = scratchRow(1)
  const rowB = scratchRow(2)
  const to = ringRow(scale.detail, DETAIL_ROWS, 0, y, scale.pitch)
  const toX = differenceRow(scale, SPARSE_X, y)
  const toY = differenceRow(scale, SPARSE_Y, y)
  const blocksX = blockRow(scale, SPARSE_X, y)
  const blocksY = blockRow(scale, SPARSE_Y, y)
  for (let group: usize = 0; group < stride; group += GROUP) {
    let seen = f32x4.splat(0)
    for (let x = group; x < group + GROUP; x += 16) {
      const old = v128.load(wasY + x)
      const now = v128.load(rowY + x)
      const sum = addSquare(f32x4.splat(0), old, now, weightMiddleY)
      v128.store(to + x, addSquare(sum, v128.load(wasB + x), v128.load(rowB + x), weightMiddleB))
      const difference = lower(differ(MIDDLE_Y, old, now))
      v128.store(toY + x, difference)
      seen = v128.or(seen, difference)
    }
    store<u8>(blocksY + group / GROUP, holds(seen))
    if (isNothing(wasX + group, rowX + group)) {
      clear(toX + group, toX + group + GROUP)
      store<u8>(blocksX + group / GROUP, 0)
      continue
    }
    seen = f32x4.splat(0)
    for (let x = group; x < group + GROUP; x += 16) {
      const old = v128.load(wasX + x)
      const now = v128.load(rowX + x)
      v128.store(to + x, addSquare(v128.load(to + x), old, now, weightMiddleX))
      const difference = lower(differ(MIDDLE_X, old, now))
      v128.store(toX + x, difference)
      seen = v128.or(seen, difference)
    }
    store<u8>(blocksX + group / GROUP, holds(seen))
  }
}

/** Row y of the high and of the finest band: where `highRowOf` says. */
export function settleHigh(scale: Scale, side: Side, y: i32): void {
  const stride = scale.stride
  const rowX = highRowOf(scale, side, 0, y)
  const rowY = highRowOf(scale, side, 1, y)
  const fineX = highRowOf(scale, side, 2, y)
  const fineY = highRowOf(scale, side, 3, y)
  blurDown(scale, FINE_BLUR, side.fine, 0, y, rowX)
  blurDown(scale, FINE_BLUR, side.fine, 1, y, rowY)
  const wholeX = ringRow(side.high, HIGH_ROWS, 0, y, scale.pitch)
  const wholeY = ringRow(side.high, HIGH_ROWS, 1, y, scale.pitch)
  for (let x: usize = 0; x < stride; x += 16) {
    const highX = v128.load(rowX + x)
    const highY = limited(v128.load(rowY + x), limitHigh)
    v128.store(fineX + x, removeNearZero(f32x4.sub(v128.load(wholeX + x), highX), removedFine))
    v128.store(rowX + x, removeNearZero(highX, removedHigh))
    v128.store(fineY + x, f32x4.mul(limited(f32x4.sub(v128.load(wholeY + x), highY), limitFine), all(gainFine)))
    v128.store(rowY + x, amplifyNearZero(f32x4.mul(highY, all(gainHigh)), addedHigh))
  }
  if (!side.isReference) {
    compareHigh(scale, y)
    compareFine(scale, y)
  }
}

/** The high band's differences join the middle band's of the same row, in the upper halves. */
function compareHigh(scale: Scale, y: i32): void {
  const stride = scale.stride
  const wasX = planeRow(scale, HIGH, y)
  const wasY = planeRow(scale, HIGH + 1, y)
  const rowX = scratchRow(0)
  const rowY = scratchRow(1)
  const to = ringRow(scale.detail, DETAIL_ROWS, 0, y, scale.pitch)
  const toX = differenceRow(scale, SPARSE_X, y)
  const toY = differenceRow(scale, SPARSE_Y, y)
  const blocksX = blockRow(scale, SPARSE_X, y)
  const blocksY = blockRow(scale, SPARSE_Y, y)
  for (let group: usize = 0; group < stride; group += GROUP) {
    let seen = f32x4.splat(0)
    for (let x = group; x < group + GROUP; x += 16) {
      const old = v128.load(wasY + x)
      const now = v128.load(rowY + x)
      v128.store(to + x, addAsymmetric(v128.load(to + x), old, now, differenceY, excessY))
      const both = v128.or(v128.load(toY + x), upper(differ(HIGH_Y, old, now)))
      v128.store(toY + x, both)
      seen = v128.or(seen, both)
    }
    store<u8>(blocksY + group / GROUP, holds(seen))
    if (isNothing(wasX + group, rowX + group)) continue
    seen = f32x4.splat(0)
    for (let x = group; x < group + GROUP; x += 16) {
      const old = v128.load(wasX + x)
      const now = v128.load(rowX + x)
      v128.store(to + x, addAsymmetric(v128.load(to + x), old, now, differenceX, excessX))
      const both = v128.or(v128.load(toX + x), upper(differ(HIGH_X, old, now)))
      v128.store(toX + x, both)
      seen = v128.or(seen, both)
    }
    store<u8>(blocksX + group / GROUP, holds(seen))
  }
  clearTail(scale, toX)
  clearTail(scale, toY)
}

function compareFine(scale: Scale, y: i32): void {
  const stride = scale.stride
  const wasX = planeRow(scale, FINE, y)
  const wasY = planeRow(scale, FINE + 1, y)
  const rowX = scratchRow(2)
  const rowY = scratchRow(3)
  const to = differenceRow(scale, DENSE, y)
  const blocks = blockRow(scale, DENSE, y)
  for (let group: usize = 0; group < stride; group += GROUP) {
    let seen = f32x4.splat(0)
    for (let x = group; x < group + GROUP; x += 16) {
      const x16 = lower(differ(FINE_X, v128.load(wasX + x), v128.load(rowX + x)))
      const both = v128.or(x16, upper(differ(FINE_Y, v128.load(wasY + x), v128.load(rowY + x))))
      v128.store(to + x, both)
      seen = v128.or(seen, both)
    }
    store<u8>(blocks + group / GROUP, holds(seen))
  }
  clearTail(scale, to)
}
