/** Masking: errors are less visible where the reference is busy. Its activity is blurred, then eroded so that smooth areas next to busy ones stay smooth. */
import { all } from '../common/broadcast'
import { storePair } from '../common/pairs'
import { highRowOf } from './bands'
import { ACTIVITY_BLUR, blurAlong, blurDown } from './blur'
import { settleTone } from './coarse'
import {
  ACTIVITY, ACTIVITY_ROWS, DETAIL_ROWS, MARGIN, MASK, Scale, Side, TONE_ROWS, clearTail, planeRow, ringRow, scratchRow,
} from './layout'

const weightX = memory.data<f32>([2.5])
const weightY = memory.data<f32>([0.4])
/** The root of an activity bends like this: sqrt(scale a + bias) - sqrt(bias). */
const bendScale = memory.data<f32>([6.19424080439])
const bendBias = memory.data<f32>([6.19424080439 * 12.61050594197])
const bendShift = memory.data<f32>([8.838128222070164])
const activityWeight = memory.data<f32>([10.0])

/** Weights of the three smallest of nine samples three pixels apart. */
const leastWeight = memory.data<f32>([0.45])
const secondWeight = memory.data<f32>([0.3])
const thirdWeight = memory.data<f32>([0.25])
const STEP: i32 = 3
const STEP_BYTES: usize = 12
/** Stands for samples outside the image: never among the smallest. */
const NOTHING = memory.data<f32>([1e30])

/** Sensitivity to detail and to tone under a mask m: (scale + gain / (slope m + offset))². */
const scale = memory.data<f32>([1.0 / (17.8 * 0.79079917404)])
const detailGain = memory.data<f32>([2.5485944793 / (17.8 * 0.79079917404)])
const detailSlope = memory.data<f32>([0.451936922203])
const detailOffset = memory.data<f32>([0.829591754942])
const toneGain = memory.data<f32>([0.505054525019 / (17.8 * 0.79079917404)])
const toneSlope = memory.data<f32>([3.87449418804])
const toneOffset = memory.data<f32>([0.20025578522])
const one = memory.data<f32>([1])

/** Activity of four columns, from both bands of X and of Y. */
@inline
function activityOf(highX: usize, fineX: usize, highY: usize, fineY: usize, k: usize): v128 {
  const a = f32x4.mul(f32x4.add(v128.load(highX + k), v128.load(fineX + k)), all(weightX))
  const b = f32x4.mul(f32x4.add(v128.load(highY + k), v128.load(fineY + k)), all(weightY))
  const size = f32x4.sqrt(f32x4.add(f32x4.mul(a, a), f32x4.mul(b, b)))
  const bent = f32x4.sqrt(f32x4.add(f32x4.mul(size, all(bendScale)), all(bendBias)))
  return f32x4.sub(bent, all(bendShift))
}

/** Activity of row y from its high and finest bands, which have just been settled, blurred along. */
export function takeActivity(scale: Scale, side: Side, y: i32): void {
  const stride = scale.stride
  const highX = highRowOf(scale, side, 0, y)
  const highY = highRowOf(scale, side, 1, y)
  const fineX = highRowOf(scale, side, 2, y)
  const fineY = highRowOf(scale, side, 3, y)
  const to = scratchRow(0)
  for (let x: usize = 0; x < stride; x += 32) {
    const lower = activityOf(highX + x, fineX + x, highY + x, fineY + x, 0)
    storePair(to + x, lower, activityOf(highX + x, fineX + x, highY + x, fineY + x, 16))
  }
  clearTail(scale, to)
  blurAlong(scale, ACTIVITY_BLUR, to, ringRow(side.activity, ACTIVITY_ROWS, 0, y, scale.pitch))
}

/** The squared error of four columns, and what the candidate's activity differs by. */
@inline
function addDifference(sum: usize, was: usize, is: usize, k: usize): v128 {
  const d = f32x4.sub(v128.load(was + k), v128.load(is + k))
  return f32x4.add(v128.load(sum + k), f32x4.mul(f32x4.mul(d, d), all(activityWeight)))
}

/** Row y of the blurred activity: the reference's is kept, the candidate's difference to it is an error. */
export function settleActivity(scale: Scale, side: Side, y: i32): void {
  const stride = scale.stride
  if (side.isReference) {
    blurDown(scale, ACTIVITY_BLUR, side.activity, 0, y, planeRow(scale, ACTIVITY, y))
    return
  }
  const is = scratchRow(0)
  blurDown(scale, ACTIVITY_BLUR, side.activity, 0, y, is)
  const was = planeRow(scale, ACTIVITY, y)
  const to = ringRow(scale.detail, DETAIL_ROWS, 0, y, scale.pitch)
  for (let x: usize = 0; x < stride; x += 32) {
    storePair(to + x, addDifference(to + x, was + x, is + x, 0), addDifference(to + x, was + x, is + x, 16))
  }
}

/** Copies row y of the reference's activity, with nothing on either side; all nothing outside the image. */
function lay(scale: Scale, y: i32, to: usize): void {
  const stride = scale.stride
  const inside = y >= 0 && y < scale.height
  if (inside) memory.copy(to, planeRow(scale, ACTIVITY, y), <usize>scale.width << 2)
  const until = to + scale.stride + MARGIN
  const nothing = all(NOTHING)
  for (let at = inside ? to + (<usize>scale.width << 2) : to; at < until; at += 16) v128.store(min(at, until - 16), nothing)
  v128.store(to - 16, nothing)
}

/** Sorts three rows column by column, margins included: the first gets the smallest. */
function sortColumns(scale: Scale, first: usize, second: usize, third: usize): void {
  const stride = scale.stride
  for (let x: usize = 0; x < stride + 32; x += 32) {
    const a = v128.load(first + x)
    const a2 = v128.load(first + x, 16)
    const b = v128.load(second + x)
    const b2 = v128.load(second + x, 16)
    const c = v128.load(third + x)
    const c2 = v128.load(third + x, 16)
    const low = f32x4.pmin(a, b)
    const low2 = f32x4.pmin(a2, b2)
    const high = f32x4.pmax(a, b)
    const high2 = f32x4.pmax(a2, b2)
    const rest = f32x4.pmax(low, c)
    const rest2 = f32x4.pmax(low2, c2)
    storePair(first + x, f32x4.pmin(low, c), f32x4.pmin(low2, c2))
    storePair(second + x, f32x4.pmin(high, rest), f32x4.pmin(high2, rest2))
    storePair(third + x, f32x4.pmax(high, rest), f32x4.pmax(high2, rest2))
  }
}

/** The second least of what is sorted in two ways: it is the second of one of them, or the larger of the first ones. */
@inline
function secondLeast(a1: v128, a2: v128, b1: v128, b2: v128): v128 {
  return f32x4.pmin(f32x4.pmin(a2, b2), f32x4.pmax(a1, b1))
}

/** The third least, likewise. */
@inline
function thirdLeast(a1: v128, a2: v128, a3: v128, b1: v128, b2: v128, b3: v128): v128 {
  return f32x4.pmin(f32x4.pmin(a3, b3), f32x4.pmin(f32x4.pmax(a1, b2), f32x4.pmax(a2, b1)))
}

/** The weighed three smallest activities at and around four pixels, in sorted columns; the double of their own, at `centres`, may stand in twice. */
@inline
function maskOf(first: usize, second: usize, third: usize, centres: usize, k: usize): v128 {
  const l1 = v128.load(first + k)
  const l2 = v128.load(second + k)
  const l3 = v128.load(third + k)
  const r1 = v128.load(first + (2 * STEP_BYTES + k))
  const r2 = v128.load(second + (2 * STEP_BYTES + k))
  const r3 = v128.load(third + (2 * STEP_BYTES + k))
  const s1 = f32x4.pmin(l1, r1)
  const s2 = secondLeast(l1, l2, r1, r2)
  const s3 = thirdLeast(l1, l2, l3, r1, r2, r3)
  const m1 = v128.load(first + (STEP_BYTES + k))
  const m2 = v128.load(second + (STEP_BYTES + k))
  const m3 = v128.load(third + (STEP_BYTES + k))
  const centre = v128.load(centres + k)
  const double = f32x4.add(centre, centre)
  const least = f32x4.mul(f32x4.pmin(s1, m1), all(leastWeight))
  const next = f32x4.mul(f32x4.pmin(secondLeast(s1, s2, m1, m2), double), all(secondWeight))
  const last = f32x4.mul(f32x4.pmin(thirdLeast(s1, s2, s3, m1, m2, m3), double), all(thirdWeight))
  return f32x4.add(f32x4.add(least, next), last)
}

/** The mask of row y. Columns are sorted once for the three pixels that share them. */
export function settleMask(scale: Scale, y: i32): void {
  const stride = scale.stride
  const above = scratchRow(4)
  const own = scratchRow(5)
  const below = scratchRow(6)
  lay(scale, y - STEP, above)
  lay(scale, y, own)
  lay(scale, y + STEP, below)
  sortColumns(scale, above - 16, own - 16, below - 16)
  const centres = planeRow(scale, ACTIVITY, y)
  const to = planeRow(scale, MASK, y)
  const first = above - STEP_BYTES
  const second = own - STEP_BYTES
  const third = below - STEP_BYTES
  for (let x: usize = 0; x < stride; x += 32) {
    const lower = maskOf(first + x, second + x, third + x, centres + x, 0)
    storePair(to + x, lower, maskOf(first + x, second + x, third + x, centres + x, 16))
  }
}

@inline
function along(mask: v128, slope: usize, offset: usize): v128 {
  return f32x4.add(f32x4.mul(mask, all(slope)), all(offset))
}

@inline
function sensitivity(share: v128): v128 {
  const root = f32x4.add(share, all(scale))
  return f32x4.mul(root, root)
}

/** Distances of four columns, from their squared errors under the mask. Both divisions by one: that by the product, times the other divisor. */
@inline
function distancesOf(mask: usize, tone: usize, detail: usize, k: usize): v128 {
  const m = v128.load(mask + k)
  const byTone = along(m, toneSlope, toneOffset)
  const byDetail = along(m, detailSlope, detailOffset)
  const byBoth = f32x4.div(all(one), f32x4.mul(byTone, byDetail))
  const toneShare = f32x4.mul(f32x4.mul(byDetail, all(toneGain)), byBoth)
  const detailShare = f32x4.mul(f32x4.mul(byTone, all(detailGain)), byBoth)
  const toneError = f32x4.mul(v128.load(tone + k), sensitivity(toneShare))
  const detailError = f32x4.mul(v128.load(detail + k), sensitivity(detailShare))
  return f32x4.sqrt(f32x4.add(toneError, detailError))
}

/** Where the squared errors of row y of the low band are. */
function toneRow(image: Scale, y: i32): usize {
  if (image.isSmall) return ringRow(image.tone, TONE_ROWS, 0, y, image.pitch)
  const row = scratchRow(7)
  settleTone(image, y, row)
  return row
}

/** Distances of row y. */
export function settleDistances(image: Scale, y: i32, to: usize): void {
  const stride = image.stride
  const mask = planeRow(image, MASK, y)
  const tone = toneRow(image, y)
  const detail = ringRow(image.detail, DETAIL_ROWS, 0, y, image.pitch)
  for (let x: usize = 0; x < stride; x += 32) {
    storePair(to + x, distancesOf(mask + x, tone + x, detail + x, 0), distancesOf(mask + x, tone + x, detail + x, 16))
  }
}
