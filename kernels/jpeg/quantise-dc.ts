// Quantising DC: by plain rounding, or a row of blocks at a time by the cheapest path through the nearest values and their two neighbours.
// On the way the symbols that come of it are counted: those of component c in slot c, as a scan of their own would have them.
import { count } from './bits-out'
import { coefsOf, heightInBlocks, markChange, marksOf, strideOf, widthInBlocks } from './components'

/** Bits by difference, f32 from -FURTHEST to FURTHEST and a vector's more: from 2048 on all have the same size, and none comes near 4096. */
const FURTHEST = 2304
const RATES = memory.data((2 * 2304 + 4) * 4, 16)
const NO_DIFFERENCE: usize = RATES + 2304 * 4
/** Differences whose neighbours, two on either side, are within those. */
const LOOKED_UP = FURTHEST - 2

/** How far from the nearest value a path's three values lie, the lowest first (lanes, the fourth idle), as it is seen from them; which they are. */
const DISTANCES: usize = memory.data<f32>([1, 0, -1, 0], 16)
const SECOND: usize = memory.data<i32>([1, 1, 1, 1], 16)
const THIRD: usize = memory.data<i32>([2, 2, 2, 2], 16)

/** From bits by size, f32[16]. */
function fillRates(rates: usize): void {
  for (let d = 0; d <= FURTHEST; d++) {
    const bits = load<f32>(rates + <usize>(32 - clz<i32>(d)) * 4)
    store<f32>(NO_DIFFERENCE + <usize>d * 4, bits)
    store<f32>(NO_DIFFERENCE - <usize>d * 4, bits)
  }
}

/** DC of the `x`-th block of a row at `dct` in steps, what is at `dcOffsets` (0: nothing) added. */
// @ts-ignore: decorator
@inline function dcInSteps(dct: usize, x: i32, step: f32, dcOffsets: usize): f32 {
  const shift: f32 = dcOffsets == 0 ? 0 : load<f32>(dcOffsets + <usize>x * 4)
  return (load<f32>(dct + <usize>x * 256) + shift) / step
}

@unmanaged class QuantiseDc {
  c: i32
  dct: usize
  step: f32
  rates: usize
  lambda: f32
  maskingWeights: usize
  dcOffsets: usize
  scratch: usize
}

/**
 * DC of component `c`. `scratch`: 32 bytes for each block of a row. `step` is DC's step, `rates` bits of a difference by its size, f32[16]; `lambda`
 * as for AC (0: plain rounding). `dcOffsets`: what is added to each block's DC before, densely, or 0.
 */
export function quantiseDc(given: QuantiseDc): void {
  let c = given.c
  let dct = given.dct
  let step = given.step
  let rates = given.rates
  let lambda = given.lambda
  let maskingWeights = given.maskingWeights
  let dcOffsets = given.dcOffsets
  let scratch = given.scratch
  const wide = widthInBlocks(c)
  let before = 0
  let counted = 0
  if (lambda > 0) fillRates(rates)
  for (let y = 0; y < heightInBlocks(c); y++) {
    const row = dct + <usize>(y * strideOf(c)) * 256
    const q = coefsOf(c) + <usize>(y * strideOf(c)) * 128
    const marks = marksOf(c) + <usize>(y * wide) * 8
    const dense = <usize>(y * wide) * 4
    const shifts: usize = dcOffsets == 0 ? 0 : dcOffsets + dense
    if (lambda <= 0) {
      for (let x = 0; x < wide; x++) put(q, x, <i32>nearest<f32>(dcInSteps(row, x, step, shifts)), marks)
    } else {
      findPaths(row, wide, step, shifts, lambda, maskingWeights + dense, scratch, before)
      before = keepCheapest(q, wide, scratch, marks)
    }
    for (let x = 0; x < wide; x++) {
      const v = <i32>load<i16>(q + <usize>x * 128)
      count(c, 32 - clz<i32>(abs(v - counted)))
      counted = v
    }
  }
}

/** Sets DC of the `x`-th block of a row at `q`. */
// @ts-ignore: decorator
@inline function put(q: usize, x: i32, v: i32, marks: usize): void {
  const at = q + <usize>x * 128
  markChange(marks + <usize>x * 8, load<i16>(at) != <i16>v)
  store<i16>(at, <i16>v)
}

/** Costs of the best paths to the last block's three values. */
let low: f32 = 0
let middle: f32 = 0
let high: f32 = 0

/** Per block in `scratch`: the nearest value (i32), and after 16 bytes which value of the block before the best path to each of its three takes (i32[3]). */
function findPaths(
  row: usize, wide: i32, step: f32, shifts: usize, lambda: f32, maskingWeights: usize, scratch: usize, before: i32,
): void {
  const distances = v128.load(DISTANCES)
  const second = v128.load(SECOND)
  const third = v128.load(THIRD)
  let costs = f32x4.splat(0)
  for (let x = 0; x < wide; x++, scratch += 32) {
    const exact = dcInSteps(row, x, step, shifts)
    const near = nearest<f32>(exact)
    const value = <i32>near
    store<i32>(scratch, value)
    // Lane i of what begins j to the left: from the block before's j-th value to this one's i-th.
    const rates = NO_DIFFERENCE + <usize>(max(-LOOKED_UP, min(LOOKED_UP, value - before)) * 4)
    if (x == 0) costs = v128.load(rates - 4)
    else {
      const fromLow = f32x4.add(v128.shuffle<f32>(costs, costs, 0, 0, 0, 0), v128.load(rates))
      const fromMiddle = f32x4.add(v128.shuffle<f32>(costs, costs, 1, 1, 1, 1), v128.load(rates - 4))
      const fromHigh = f32x4.add(v128.shuffle<f32>(costs, costs, 2, 2, 2, 2), v128.load(rates - 8))
      // The middle one where they are alike. A lane that holds is -1.
      const lower = f32x4.pmin(fromMiddle, fromLow)
      const from = i32x4.add(second, f32x4.lt(fromLow, fromMiddle))
      costs = f32x4.pmin(lower, fromHigh)
      v128.store(scratch, v128.bitselect(third, from, f32x4.lt(fromHigh, lower)), 16)
    }
    const errors = f32x4.add(f32x4.splat(exact - near), distances)
    const weight = f32x4.splat(lambda * load<f32>(maskingWeights + <usize>x * 4))
    costs = f32x4.add(costs, f32x4.mul(f32x4.mul(weight, errors), errors))
    before = value
  }
  low = f32x4.extract_lane(costs, 0)
  middle = f32x4.extract_lane(costs, 1)
  high = f32x4.extract_lane(costs, 2)
}

/** Writes the values of the cheapest path; gives the last. */
function keepCheapest(q: usize, wide: i32, scratch: usize, marks: usize): i32 {
  let i = low < middle ? (low < high ? 0 : 2) : middle <= high ? 1 : 2
  let last = 0
  for (let x = wide - 1; x >= 0; x--) {
    const block = scratch + <usize>x * 32
    const v = max(-1024, min(1023, load<i32>(block) - 1 + i))
    put(q, x, v, marks)
    if (x == wide - 1) last = v
    i = load<i32>(block + <usize>i * 4, 16)
  }
  return last
}
