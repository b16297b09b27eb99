// Quantising AC by a trellis that weighs bits against distortion in units of the step. The symbols that come of it, or that would come of plain
// rounding, are counted: those of component c in slot 4 + c, as a scan of their own would have them.
import { count } from './bits-out'
import { coefsOf, heightInBlocks, marksOf, strideOf, widthInBlocks } from './components'

/**
 * The trellis. Entry 0 is the block's start, entry i the i-th coefficient that may stay. An entry holds its cost less that of zeroing all
 * up to it; the smallest cost so far; its index times four; its value; the address of the entry before it.
 */
const ENTRY: usize = 32
/** Two more lie before the start. */
const ENTRIES: usize = memory.data(67 * 32, 16) + 2 * ENTRY
/** Bits by size (1..10) and run (0..63), a row a size; and the fewest at that run or a longer one. */
const ROW: usize = 256
const MIN_RATES: usize = 11 * 256
const RATES = memory.data(2 * 11 * 256, 16)

// @ts-ignore: decorator
@inline function f(at: usize, i: i32): f32 { return load<f32>(at + <usize>i * 4) }

/** Nothing has a magnitude above this (T.81 F.1.2.2, 8 bits). */
const most = 1023

const MAGNITUDE: usize = memory.data<u32>([0x7fffffff], 16)

// @ts-ignore: decorator
@inline function reaches(x: usize, least: usize): v128 {
  return f32x4.ge(v128.and(v128.load(x), v128.load_splat<u32>(MAGNITUDE)), v128.load(least))
}
// @ts-ignore: decorator
@inline function sixteen(x: usize, least: usize): u64 {
  const a = i16x8.narrow_i32x4_s(reaches(x, least), reaches(x + 16, least + 16))
  const b = i16x8.narrow_i32x4_s(reaches(x + 32, least + 32), reaches(x + 48, least + 48))
  return <u64>i8x16.bitmask(i8x16.narrow_i16x8_s(a, b))
}
/** Bit k set where AC coefficient k is in magnitude at least its `least`. */
// @ts-ignore: decorator
@inline function considerable(x: usize, least: usize): u64 {
  const low = sixteen(x, least) | (sixteen(x + 64, least + 64) << 16)
  const high = sixteen(x + 128, least + 128) | (sixteen(x + 192, least + 192) << 16)
  return (low | (high << 32)) & ~1
}

/** Smallest value that rounds to one with `bias` added, by coefficient: f32[64]. */
const LEAST = memory.data(256, 16)
function fillLeast(inverse: usize, bias: f32): void {
  for (let k: usize = 0; k < 256; k += 4) store<f32>(LEAST + k, (1 - bias) / load<f32>(inverse + k))
}

// @ts-ignore: decorator
@inline function signed(x: usize, k: i32, v: i32): i32 {
  const sign = reinterpret<i32>(load<f32>(x + <usize>k * 4)) >> 31
  return (v ^ sign) - sign
}

/** Blocks in a row whose end has come: counted as their run's symbol when it ends (T.81 G.1.2.2). */
let ends: i32 = 0
// @ts-ignore: decorator
@inline function countEnds(slot: i32): void {
  if (ends > 0) count(slot, (31 - clz<i32>(ends)) << 4)
  ends = 0
}
// @ts-ignore: decorator
@inline function countEnd(slot: i32): void { if (++ends == 0x7fff) countEnds(slot) }

// @ts-ignore: decorator
@inline function countValue(slot: i32, run: i32, v: i32): void {
  if (run > 15) {
    count(slot, 0xf0, run >> 4)
    run &= 15
  }
  count(slot, (run << 4) | (32 - clz<i32>(v)))
}

/** Counts AC of component `c` as rounded, |x| / step + bias, cut; the coefficients stay as they are. */
export function countPlainly(c: i32, dct: usize, inverse: usize, bias: f32): void {
  fillLeast(inverse, bias)
  ends = 0
  const slot = 4 + c
  for (let y = 0; y < heightInBlocks(c); y++) {
    let from = dct + <usize>(y * strideOf(c)) * 256
    for (let x = widthInBlocks(c); x > 0; x--, from += 256) {
      let mask = considerable(from, LEAST)
      let prev = 0
      if (mask != 0) countEnds(slot)
      while (mask != 0) {
        const k = <i32>ctz<u64>(mask)
        mask &= mask - 1
        countValue(slot, k - prev - 1, min(most, max(1, <i32>(abs(f(from, k)) * f(inverse, k) + bias))))
        prev = k
      }
      if (prev < 63) countEnd(slot)
    }
  }
  countEnds(slot)
}

/** Lays the rates out by size and run, runs above 15 with the symbols they need more. */
function fillRates(rates: usize): void {
  for (let size = 1; size < 11; size++) {
    let least: f32 = Infinity
    for (let run = 63; run >= 0; run--) {
      const rate = f(rates, ((run & 15) << 4) | size) + f(rates, 0xf0) * <f32>(run >> 4)
      const at = RATES + <usize>size * ROW + <usize>run * 4
      least = min(least, rate)
      store<f32>(at, rate)
      store<f32>(at, least, MIN_RATES)
    }
  }
}

@unmanaged class QuantiseByTrellis {
  c: i32
  dct: usize
  inverse: usize
  rates: usize
  weights: usize
  maskingWeights: usize
  lambda: f32
  bias: f32
}

/**
 * Quantises AC of component `c` by trellis. `rates`: bits of run << 4 | size, raw bits included, f32[256] (0x00 end of block).
 * `weights`: distortion's weight by coefficient, f32[64]. `maskingWeights`: by block, rows of `wide`. `lambda`: bits that a
 * squared error of one step is worth. A coefficient that rounds to zero with `bias` is not considered.
 */
export function quantiseByTrellis(given: QuantiseByTrellis): void {
  let c = given.c
  let dct = given.dct
  let inverse = given.inverse
  let rates = given.rates
  let weights = given.weights
  let maskingWeights = given.maskingWeights
  let lambda = given.lambda
  let bias = given.bias
  const wide = widthInBlocks(c)
  const slot = 4 + c
  fillLeast(inverse, bias)
  fillRates(rates)
  ends = 0
  const end = load<f32>(rates)
  let marks = marksOf(c)
  for (let y = 0; y < heightInBlocks(c); y++) {
    for (let x = 0; x < wide; x++, marks += 8, maskingWeights += 4) {
      const i = <usize>(y * strideOf(c) + x)
      const from = dct + i * 256
      const q = coefsOf(c) + i * 128
      const mask = considerable(from, LEAST)
      if (mask != 0) keep(from, q, walk(from, mask, inverse, weights, lambda * load<f32>(maskingWeights), end, bias), slot, marks)
      else {
        countEnd(slot)
        empty(q, marks)
      }
    }
  }
  countEnds(slot)
}

/** The smaller of two, without a branch that could be mispredicted: V8 makes one of a selected float. */
@inline
function least(a: f32, b: f32): f32 {
  return f32x4.extract_lane(f32x4.pmin(f32x4.splat(a), f32x4.splat(b)), 0)
}

/** Nothing with this bound is looked at, nor what lies before it. */
@inline
function closeBefore(entry: usize): void {
  store<f32>(entry - ENTRY, Infinity, 4)
  store<f32>(entry - 2 * ENTRY, Infinity, 4)
}

/**
 * Finds the cheapest path through the coefficients that `mask` marks. What may as well go either way is chosen without branches: mispredicted
 * ones took a quarter of the time. Gives the path's last entry.
 */
// @ts-ignore: decorator
@inline function walk(x: usize, mask: u64, inverse: usize, weights: usize, lambda: f32, end: f32, bias: f32): usize {
  let entry = ENTRIES
  // Costs are less the distortion of zeroing all before, which every path to here shares.
  let cost: f32 = 0
  let place: usize = 0
  let lowest: f32 = 0
  let costBefore: f32 = Infinity
  let placeBefore: usize = 0
  let bestEnd = end
  let last = entry
  closeBefore(entry)
  store<f32>(entry, 0)
  store<f32>(entry, 0, 4)
  store<i32>(entry, 0, 8)
  while (mask != 0) {
    const at = <usize>ctz<u64>(mask) * 4
    mask &= mask - 1
    const t = abs(load<f32>(x + at)) * load<f32>(inverse + at)
    const w = lambda * load<f32>(weights + at)
    const v = min(most, max(1, <i32>(t + bias)))
    const rates = RATES + <usize>(32 - clz<i32>(v)) * ROW + at - 4
    const e = t - <f32>v
    const own = w * e * e
    const here = cost + load<f32>(rates - place)
    const before = costBefore + load<f32>(rates - placeBefore)
    let best = least(here, before)
    let chosen = select<usize>(entry - ENTRY, entry, before < here)
    for (let j = entry - 2 * ENTRY; ; j -= ENTRY) {
      const rate = rates - <usize>load<i32>(j, 8)
      if (load<f32>(j, 4) + load<f32>(rate, MIN_RATES) >= best) break
      const other = load<f32>(j) + load<f32>(rate)
      if (other < best) {
        best = other
        chosen = j
      }
    }
    best += own
    let value = v
    // One less only pays where it is a size smaller.
    if (v > 1 && (v & (v - 1)) == 0) {
      const less = w * (e + 1) * (e + 1)
      let limit = best - less
      for (let j = entry; ; j -= ENTRY) {
        const rate = rates - ROW - <usize>load<i32>(j, 8)
        if (load<f32>(j, 4) + load<f32>(rate, MIN_RATES) >= limit) break
        const other = load<f32>(j) + load<f32>(rate)
        if (other < limit) {
          limit = other
          best = other + less
          chosen = j
          value = v - 1
        }
      }
    }
    costBefore = cost
    placeBefore = place
    cost = best - w * t * t
    place = at
    entry += ENTRY
    const ended = cost + end
    last = select<usize>(entry, last, ended <= bestEnd)
    bestEnd = least(bestEnd, ended)
    lowest = least(lowest, cost)
    // Nothing this large is ever zeroed: paths need not look behind it.
    if (v > 3) {
      closeBefore(entry)
      costBefore = Infinity
      lowest = cost
      last = entry
      bestEnd = ended
    }
    store<f32>(entry, cost)
    store<f32>(entry, lowest, 4)
    store<i32>(entry, <i32>place, 8)
    store<i32>(entry, value, 12)
    store<usize>(entry, chosen, 16)
  }
  // No end of block follows the last coefficient.
  return place == 63 * 4 && cost <= bestEnd ? entry : last
}

/** Zeroes the coefficients that `which` marks. */
// @ts-ignore: decorator
@inline function zero(q: usize, which: u64): void {
  for (; which != 0; which &= which - 1) store<i16>(q + <usize>ctz<u64>(which) * 2, 0)
}

/** Leaves a block nothing but DC. */
// @ts-ignore: decorator
@inline function empty(q: usize, marks: usize): void {
  const before = load<u64>(marks)
  if ((before & ~1) == 0) return
  zero(q, before & ~1)
  store<u64>(marks, 1)
}

/** Writes and counts the path that ends at entry `at`. */
// @ts-ignore: decorator
@inline function keep(x: usize, q: usize, at: usize, slot: i32, marks: usize): void {
  const marked = load<u64>(marks)
  let kept: u64 = 0
  let change = 0
  let k = load<i32>(at, 8) >> 2
  if (at != ENTRIES) countEnds(slot)
  if (k < 63) countEnd(slot)
  while (at != ENTRIES) {
    const v = load<i32>(at, 12)
    at = load<usize>(at, 16)
    const before = load<i32>(at, 8) >> 2
    const value = signed(x, k, v)
    const to = q + <usize>k * 2
    change |= <i32>load<i16>(to) ^ value
    store<i16>(to, <i16>value)
    kept |= <u64>1 << <u64>k
    countValue(slot, k - before - 1, v)
    k = before
  }
  const stale = marked & ~kept & ~1
  zero(q, stale)
  store<u64>(marks, kept | (marked & 1) | <u64>(change != 0 || stale != 0))
}
