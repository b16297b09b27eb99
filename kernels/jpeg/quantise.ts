// Quantising: plainly, or by a trellis that weighs bits against distortion in units of the step.
import { coefsOf, highOf, strideOf, wideOf } from './components'

/** Magnitude in steps (f32) and rounded (i32) of the block at work. */
const T = memory.data(256, 16)
const N = memory.data(256, 16)
// The trellis: entry 0 is the block's start, entry i the i-th coefficient that may stay.
const PLACE = memory.data(66 * 4, 16)
const COST = memory.data(66 * 4, 16)
const VALUE = memory.data(66 * 4, 16)
const FROM = memory.data(66 * 4, 16)
/** Distortion of zeroing entries 1..i-1. */
const ZEROED = memory.data(67 * 4, 16)

// @ts-ignore: decorator
@inline function f(at: usize, i: i32): f32 { return load<f32>(at + <usize>i * 4) }
// @ts-ignore: decorator
@inline function n(at: usize, i: i32): i32 { return load<i32>(at + <usize>i * 4) }

/** Fills T and N with |x| / step and that rounded by adding `bias`; gives the mask of those not zero. */
function magnitudes(x: usize, inverse: usize, bias: f32): u64 {
  let mask: u64 = 0
  for (let i: usize = 0; i < 256; i += 16) {
    const t = f32x4.mul(f32x4.abs(v128.load(x + i)), v128.load(inverse + i))
    const r = i32x4.trunc_sat_f32x4_s(f32x4.add(t, f32x4.splat(bias)))
    v128.store(T + i, t)
    v128.store(N + i, r)
    mask |= <u64>i32x4.bitmask(i32x4.gt_s(r, i32x4.splat(0))) << (<u64>i >> 2)
  }
  return mask
}

// @ts-ignore: decorator
@inline function put(q: usize, x: usize, k: i32, v: i32): void {
  store<i16>(q + <usize>k * 2, <i16>(f(x, k) < 0 ? -v : v))
}

// @ts-ignore: decorator
@inline function clearAc(q: usize): void {
  const dc = load<i16>(q)
  for (let i: usize = 0; i < 128; i += 16) v128.store(q + i, i64x2.splat(0))
  store<i16>(q, dc)
}

/** AC of component `c` by rounding: |x| / step + bias, cut. */
export function quantisePlainly(c: i32, dct: usize, inverse: usize, bias: f32): void {
  for (let y = 0; y < highOf(c); y++) {
    for (let x = 0; x < wideOf(c); x++) {
      const i = <usize>(y * strideOf(c) + x)
      const from = dct + i * 256
      const q = coefsOf(c) + i * 128
      let mask = magnitudes(from, inverse, bias) & ~1
      clearAc(q)
      while (mask != 0) {
        const k = <i32>ctz<u64>(mask)
        mask &= mask - 1
        put(q, from, k, min(1023, n(N, k)))
      }
    }
  }
}

/**
 * AC of component `c` by trellis. `rates`: bits of run << 4 | size, raw bits included, f32[256] (0x00 end of block);
 * `weights`: distortion's weight by coefficient, f32[64]; `strengths`: by block, rows of `wide`; `lambda`: bits that a
 * squared error of one step is worth. `bias`: what is rounded to zero with it is not even considered.
 */
export function quantiseByTrellis(
  c: i32, dct: usize, inverse: usize, rates: usize, weights: usize, strengths: usize, lambda: f32, bias: f32,
): void {
  const wide = wideOf(c)
  for (let y = 0; y < highOf(c); y++) {
    for (let x = 0; x < wide; x++) {
      const i = <usize>(y * strideOf(c) + x)
      const from = dct + i * 256
      const q = coefsOf(c) + i * 128
      const mask = magnitudes(from, inverse, bias) & ~1
      clearAc(q)
      if (mask != 0) walk(from, q, mask, rates, weights, lambda * load<f32>(strengths + <usize>(y * wide + x) * 4))
    }
  }
}

function walk(x: usize, q: usize, mask: u64, rates: usize, weights: usize, lambda: f32): void {
  let last = 0
  let floor = 0
  store<i32>(PLACE, 0)
  store<f32>(COST, 0)
  store<f32>(ZEROED, 0, 4)
  while (mask != 0) {
    const k = <i32>ctz<u64>(mask)
    mask &= mask - 1
    last++
    const at = <usize>last * 4
    const t = f(T, k)
    const w = lambda * f(weights, k)
    const v = min(1023, n(N, k))
    store<i32>(PLACE + at, k)
    store<f32>(ZEROED + at, f(ZEROED, last) + w * t * t, 4)
    bestArrival(last, floor, rates, k, v, w * (t - <f32>v) * (t - <f32>v), true)
    // One less only pays where it is a size smaller.
    if (v > 1 && (v & (v - 1)) == 0) {
      bestArrival(last, floor, rates, k, v - 1, w * (t - <f32>(v - 1)) * (t - <f32>(v - 1)), false)
    }
    // Nothing this large is ever zeroed: paths need not look behind it.
    if (v > 3) floor = last
  }
  finish(x, q, last, floor, load<f32>(rates))
}

/** Tries value `v` at entry `i` after each entry that may precede it. */
function bestArrival(i: i32, floor: i32, rates: usize, k: i32, v: i32, distortion: f32, first: bool): void {
  const size = 32 - clz<i32>(v)
  const zrl = f(rates, 0xf0)
  const zeroed = f(ZEROED, i)
  let best: f32 = first ? Infinity : f(COST, i)
  for (let j = i - 1; j >= floor; j--) {
    const lost = zeroed - f(ZEROED, j + 1)
    if (lost + distortion >= best) break
    const run = k - n(PLACE, j) - 1
    let cost = f(COST, j) + lost + distortion + f(rates, ((run & 15) << 4) | size)
    if (run > 15) cost += zrl * <f32>(run >> 4)
    if (cost < best) {
      best = cost
      store<i32>(VALUE + <usize>i * 4, v)
      store<i32>(FROM + <usize>i * 4, j)
    }
  }
  store<f32>(COST + <usize>i * 4, best)
}

function finish(x: usize, q: usize, last: i32, floor: i32, end: f32): void {
  const zeroed = f(ZEROED, last + 1)
  let best: f32 = Infinity
  let i = 0
  for (let j = last; j >= floor; j--) {
    const cost = f(COST, j) + zeroed - f(ZEROED, j + 1) + (n(PLACE, j) == 63 ? 0 : end)
    if (cost < best) {
      best = cost
      i = j
    }
  }
  for (; i > 0; i = n(FROM, i)) put(q, x, n(PLACE, i), n(VALUE, i))
}

/** Bits of a DC difference by its size, f32[16], for the rows' Viterbi. */
// @ts-ignore: decorator
@inline function dcRate(rates: usize, diff: i32): f32 { return f(rates, 32 - clz<i32>(abs(diff))) }

/**
 * DC of component `c`: along each row of blocks the cheapest path through the nearest value and its two neighbours.
 * `room`: 16 bytes for each block of a row. `step` is DC's step, `lambda` as for AC (0: plain rounding).
 */
export function quantiseDc(c: i32, dct: usize, step: f32, rates: usize, lambda: f32, strengths: usize, room: usize): void {
  const wide = wideOf(c)
  let before = 0
  for (let y = 0; y < highOf(c); y++) {
    const row = dct + <usize>(y * strideOf(c)) * 256
    const q = coefsOf(c) + <usize>(y * strideOf(c)) * 128
    if (lambda <= 0) {
      for (let x = 0; x < wide; x++) store<i16>(q + <usize>x * 128, <i16>nearest<f32>(load<f32>(row + <usize>x * 256) / step))
    } else before = dcRow(row, q, wide, step, rates, lambda, strengths + <usize>(y * wide) * 4, room, before)
  }
}

function dcRow(
  row: usize, q: usize, wide: i32, step: f32, rates: usize, lambda: f32, strengths: usize, room: usize, before: i32,
): i32 {
  let c0: f32 = 0
  let c1: f32 = 0
  let c2: f32 = 0
  let prev = before
  for (let x = 0; x < wide; x++) {
    const t = load<f32>(row + <usize>x * 256) / step
    const mid = <i32>nearest<f32>(t)
    const w = lambda * f(strengths, x)
    const base = room + <usize>x * 4
    let n0: f32 = 0
    let n1: f32 = 0
    let n2: f32 = 0
    for (let i = 0; i < 3; i++) {
      const v = mid - 1 + i
      let best: f32
      let from = 1
      if (x == 0) best = dcRate(rates, v - prev)
      else {
        const a = c0 + dcRate(rates, v - prev + 1)
        const b = c1 + dcRate(rates, v - prev)
        const c = c2 + dcRate(rates, v - prev - 1)
        best = b
        if (a < best) {
          best = a
          from = 0
        }
        if (c < best) {
          best = c
          from = 2
        }
      }
      const e = t - <f32>v
      best += w * e * e
      store<u8>(base + <usize>i, <u8>from)
      if (i == 0) n0 = best
      else if (i == 1) n1 = best
      else n2 = best
    }
    c0 = n0
    c1 = n1
    c2 = n2
    prev = mid
  }
  let i = c0 < c1 ? (c0 < c2 ? 0 : 2) : c1 <= c2 ? 1 : 2
  let end = 0
  for (let x = wide - 1; x >= 0; x--) {
    const mid = <i32>nearest<f32>(load<f32>(row + <usize>x * 256) / step)
    const v = max(-1024, min(1023, mid - 1 + i))
    store<i16>(q + <usize>x * 128, <i16>v)
    if (x == wide - 1) end = v
    i = <i32>load<u8>(room + <usize>x * 4 + <usize>i)
  }
  return end
}
