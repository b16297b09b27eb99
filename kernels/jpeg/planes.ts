// RGB to float planes of Cb and Cr, at 1:1 or one sample for 2x1 or 2x2 pixels. The sums are JFIF's (BT.601, full range),
// levels shifted to be about zero. Planes are padded by repeating the edge.
import { storePair } from '../common/pairs'
import { codes, halfWay } from './srgb-slope'
import { splitRow } from './split'

export function repeatEdge(row: usize, width: i32, padded: i32): void {
  const last = load<f32>(row + <usize>(width - 1) * 4)
  for (let x = width; x < padded; x++) store<f32>(row + <usize>x * 4, last)
}

function repeatRow(plane: usize, height: i32, paddedHigh: i32, padded: i32): void {
  const last = plane + <usize>((height - 1) * padded) * 4
  for (let y = height; y < paddedHigh; y++) memory.copy(plane + <usize>(y * padded) * 4, last, <usize>padded * 4)
}

/** Red, green and blue of luma; of blue and of red chroma; a quarter. */
const SUMS: usize = memory.data<f32>([0.299, 0.587, 0.114, 0.5, 0.168735892, 0.331264108, 0.418687589, 0.081312411, 0.25], 16)
// @ts-ignore: decorator
@inline function part(v: v128, i: usize): v128 { return f32x4.mul(v, v128.load_splat<f32>(SUMS + i * 4)) }
// @ts-ignore: decorator
@inline export function lumaOf(r: v128, g: v128, b: v128): v128 { return f32x4.add(f32x4.add(part(r, 0), part(g, 1)), part(b, 2)) }
// @ts-ignore: decorator
@inline function blueOf(r: v128, g: v128, b: v128): v128 { return f32x4.sub(f32x4.sub(part(b, 3), part(r, 4)), part(g, 5)) }
// @ts-ignore: decorator
@inline function redOf(r: v128, g: v128, b: v128): v128 { return f32x4.sub(f32x4.sub(part(r, 3), part(g, 6)), part(b, 7)) }

/** Lanes 0..3 (`upper` 0) or 4..7 of 16 bits as floats. */
// @ts-ignore: decorator
@inline function float(v: v128, upper: bool): v128 {
  return f32x4.convert_i32x4_s(upper ? i32x4.extend_high_i16x8_s(v) : i32x4.extend_low_i16x8_s(v))
}

/** Luma's parts in 256ths, u16[8] each; and how far (in those) four pixels' lumas may lie apart and yet count as flat: 8 code values. */
const ROUGH: usize = memory.data<u16>([77, 150, 29, 2048, 255], 16)
// @ts-ignore: decorator
@inline function rough(i: usize): v128 { return v128.load_splat<u16>(ROUGH + i * 2) }
// @ts-ignore: decorator
@inline function roughLuma(r: v128, g: v128, b: v128): v128 {
  return i16x8.add(i16x8.add(i16x8.mul(r, rough(0)), i16x8.mul(g, rough(1))), i16x8.mul(b, rough(2)))
}
// @ts-ignore: decorator
@inline function even(v: v128): v128 { return v128.and(v, rough(4)) }
// @ts-ignore: decorator
@inline function odd(v: v128): v128 { return i16x8.shr_u(v, 8) }

/** Factors of red and blue by their chroma; largest move of a chroma to keep its luminance; minimum slope. */
const FIT: usize = memory.data<f32>([1.402, 1.772, 24, 0.0255], 16)
const RED: usize = FIT
const BLUE: usize = FIT + 4


/**
 * The chroma difference with which four pixels keep their sum of linear light in one primary (`p0` to `p3`). A pixel's code value is its luma
 * (`l0` to `l3`) + gain * the difference. Averages of code values lose luminance at edges. One Newton step.
 */
// @ts-ignore: decorator
@inline function fitLight(start: v128, gain: usize, l0: v128, l1: v128, l2: v128, l3: v128, p0: v128, p1: v128, p2: v128, p3: v128): v128 {
  const move = f32x4.mul(start, v128.load_splat<f32>(gain))
  const a = codes(f32x4.add(l0, move))
  const b = codes(f32x4.add(l1, move))
  const c = codes(f32x4.add(l2, move))
  const d = codes(f32x4.add(l3, move))
  const s0 = halfWay(a, p0)
  const s1 = halfWay(b, p1)
  const s2 = halfWay(c, p2)
  const s3 = halfWay(d, p3)
  const slopes = f32x4.add(f32x4.add(s0, s1), f32x4.add(s2, s3))
  const upper = f32x4.add(f32x4.mul(s0, f32x4.sub(a, p0)), f32x4.mul(s1, f32x4.sub(b, p1)))
  const luminance = f32x4.add(upper, f32x4.add(f32x4.mul(s2, f32x4.sub(c, p2)), f32x4.mul(s3, f32x4.sub(d, p3))))
  const by = f32x4.div(luminance, f32x4.add(f32x4.mul(slopes, v128.load_splat<f32>(gain)), v128.load_splat<f32>(FIT, 12)))
  const most = v128.load_splat<f32>(FIT, 8)
  return f32x4.sub(start, f32x4.pmax(f32x4.neg(most), f32x4.pmin(most, by)))
}

/** Luma of a fourth (a corner of 2 x 2 pixels) of each of eight samples' pixels: the lower four or the upper ones. */
// @ts-ignore: decorator
@inline function lumaIn(r: v128, g: v128, b: v128, upper: bool): v128 { return lumaOf(float(r, upper), float(g, upper), float(b, upper)) }

/** Four samples of a chroma, fitted to one primary's rows of pixels (`pT`, `pL`, red or blue) and the lumas of all. */
// @ts-ignore: decorator
@inline function fitFour(
  start: v128, gain: usize, pT: v128, pL: v128, rT: v128, rL: v128, gT: v128, gL: v128, bT: v128, bL: v128, flat: v128, upper: bool,
): v128 {
  const l0 = lumaIn(even(rT), even(gT), even(bT), upper)
  const l1 = lumaIn(odd(rT), odd(gT), odd(bT), upper)
  const l2 = lumaIn(even(rL), even(gL), even(bL), upper)
  const l3 = lumaIn(odd(rL), odd(gL), odd(bL), upper)
  const p0 = float(even(pT), upper)
  const p1 = float(odd(pT), upper)
  const p2 = float(even(pL), upper)
  const p3 = float(odd(pL), upper)
  const still = upper ? i32x4.extend_high_i16x8_s(flat) : i32x4.extend_low_i16x8_s(flat)
  return v128.bitselect(start, fitLight(start, gain, l0, l1, l2, l3, p0, p1, p2, p3), still)
}

// @ts-ignore: decorator
@inline function sumPairs(a: v128, b: v128): v128 { return i16x8.add(i16x8.extadd_pairwise_i8x16_u(a), i16x8.extadd_pairwise_i8x16_u(b)) }
// @ts-ignore: decorator
@inline function quarter(v: v128): v128 { return part(v, 8) }

/** One row of halved chroma from two rows of split pixels. */
function halvedRow(top: usize, low: usize, step: usize, wide: i32, cb: usize, cr: usize): void {
  for (let x = 0; x < wide; x += 8, top += 16, low += 16, cb += 32, cr += 32) {
    const rT = v128.load(top)
    const gT = v128.load(top + step)
    const bT = v128.load(top + 2 * step)
    const rL = v128.load(low)
    const gL = v128.load(low + step)
    const bL = v128.load(low + 2 * step)
    const r = sumPairs(rT, rL)
    const g = sumPairs(gT, gL)
    const b = sumPairs(bT, bL)
    const blue = quarter(blueOf(float(r, false), float(g, false), float(b, false)))
    const blueUpper = quarter(blueOf(float(r, true), float(g, true), float(b, true)))
    const red = quarter(redOf(float(r, false), float(g, false), float(b, false)))
    const redUpper = quarter(redOf(float(r, true), float(g, true), float(b, true)))
    const l0 = roughLuma(even(rT), even(gT), even(bT))
    const l1 = roughLuma(odd(rT), odd(gT), odd(bT))
    const l2 = roughLuma(even(rL), even(gL), even(bL))
    const l3 = roughLuma(odd(rL), odd(gL), odd(bL))
    const brightest = i16x8.max_u(i16x8.max_u(l0, l1), i16x8.max_u(l2, l3))
    const darkest = i16x8.min_u(i16x8.min_u(l0, l1), i16x8.min_u(l2, l3))
    const flat = i16x8.lt_u(i16x8.sub(brightest, darkest), rough(3))
    if (i16x8.all_true(flat)) {
      storePair(cb, blue, blueUpper)
      storePair(cr, red, redUpper)
      continue
    }
    storePair(
      cb,
      fitFour(blue, BLUE, bT, bL, rT, rL, gT, gL, bT, bL, flat, false),
      fitFour(blueUpper, BLUE, bT, bL, rT, rL, gT, gL, bT, bL, flat, true),
    )
    storePair(
      cr,
      fitFour(red, RED, rT, rL, rT, rL, gT, gL, bT, bL, flat, false),
      fitFour(redUpper, RED, rT, rL, rT, rL, gT, gL, bT, bL, flat, true),
    )
  }
}

/** One row of chroma of each pixel's own. */
function wholeRow(row: usize, step: usize, wide: i32, cb: usize, cr: usize): void {
  for (let x = 0; x < wide; x += 4, row += 4, cb += 16, cr += 16) {
    const r = four(row)
    const g = four(row + step)
    const b = four(row + 2 * step)
    v128.store(cb, blueOf(r, g, b))
    v128.store(cr, redOf(r, g, b))
  }
}

/** Four samples as floats. */
// @ts-ignore: decorator
@inline export function four(p: usize): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(p))))
}

@unmanaged class ChromaPlanes {
  from: usize
  channels: i32
  width: i32
  height: i32
  h: i32
  v: i32
  cb: usize
  cr: usize
  padded: i32
  paddedHigh: i32
  scratch: usize
}

/**
 * Fills the two planes with Cb and Cr of `h` x `v` (1x1, 2x1, 2x2) pixels each, so chosen that their luminance is kept.
 * `scratch`: 6 * (width + 48) bytes.
 */
export function chromaPlanes(given: ChromaPlanes): void {
  let from = given.from
  let channels = given.channels
  let width = given.width
  let height = given.height
  let h = given.h
  let v = given.v
  let cb = given.cb
  let cr = given.cr
  let padded = given.padded
  let paddedHigh = given.paddedHigh
  let scratch = given.scratch
  const wide = (width + h - 1) / h
  const high = (height + v - 1) / v
  const step = <usize>((width + 47) & ~15)
  for (let y = 0; y < high; y++) {
    const b = cb + <usize>(y * padded) * 4
    const r = cr + <usize>(y * padded) * 4
    splitRow(from + <usize>(y * v * width) * channels, channels, width, scratch, step)
    if (h == 1) wholeRow(scratch, step, wide, b, r)
    else {
      let low = scratch
      if (v == 2 && y * 2 + 1 < height) {
        low = scratch + 3 * step
        splitRow(from + <usize>((y * 2 + 1) * width) * channels, channels, width, low, step)
      }
      halvedRow(scratch, low, step, wide, b, r)
    }
    repeatEdge(b, wide, padded)
    repeatEdge(r, wide, padded)
  }
  repeatRow(cb, high, paddedHigh, padded)
  repeatRow(cr, high, paddedHigh, padded)
}
