// The weighted predictor of modular channels with its default parameters (ISO/IEC 18181-1, annex H): four predictors, each weighted by how little it
// missed the samples around. Values are in eighths of a sample. A row of errors is an i32 a sample, a row of misses four i32 a sample.

const FRACTION_BITS: i32 = 3
const ROUNDING: i32 = 3
/** Each predictor's largest weight; misses lower it. */
const MAX_WEIGHTS: StaticArray<u32> = [13, 12, 12, 12]
/** Shares, in 1/32, of the errors around a sample that the second, third and fourth predictor take off. */
const ABOVE_SHARE: i32 = 16
const LEFT_SHARE: i32 = 10
const ROW_SHARE: i32 = 7

/** 2^24 / n, rounded down, by n - 1. */
const RECIPROCALS: usize = memory.data(64 * 4, 16)
for (let i: u32 = 0; i < 64; i++) store<u32>(RECIPROCALS + (i << 2), (1 << 24) / (i + 1))

// @ts-ignore: decorator
@inline function reciprocal(index: u32): u32 { return load<u32>(RECIPROCALS + (<usize>index << 2)) }

// @ts-ignore: decorator
@inline function weightOf(missed: u32, most: u32): u32 {
  const shift = <u32>max<i32>(0, 26 - clz<u32>(missed + 1))
  return 4 + ((most * reciprocal(missed >> shift)) >> shift)
}

// @ts-ignore: decorator
@inline function larger(a: i32, b: i32): i32 { return abs(b) > abs(a) ? b : a }

/** The mean of four guesses by four weights, without a division. */
// @ts-ignore: decorator
@inline function average(guesses: v128, w0: u32, w1: u32, w2: u32, w3: u32): i32 {
  const shift = 27 - clz<u32>(w0 + w1 + w2 + w3)
  const a = <i64>(w0 >> shift)
  const b = <i64>(w1 >> shift)
  const c = <i64>(w2 >> shift)
  const d = <i64>(w3 >> shift)
  const total = a + b + c + d
  const sum = a * i32x4.extract_lane(guesses, 0) + b * i32x4.extract_lane(guesses, 1) +
    c * i32x4.extract_lane(guesses, 2) + d * i32x4.extract_lane(guesses, 3) + (total >> 1) - 1
  return <i32>((sum * <i64>reciprocal(<u32>total - 1)) >> 24)
}

/** Bytes of scratch that `predictWeighted` needs for a row of `width`. */
export function predictorScratch(width: i32): i32 { return 2 * (width + 2) * 20 }

/**
 * Predicts `width` x `height` samples (i32, row by row) at `samples`. Writes an i32 a sample: the prediction to `predicted`, and to `largest` the
 * largest error around it (property 15).
 */
export function predictWeighted(samples: usize, width: i32, height: i32, predicted: usize, largest: usize, scratch: usize): void {
  const pitch = width + 2
  const errors = scratch
  const misses = scratch + <usize>(2 * pitch) * 4
  memory.fill(scratch, 0, <usize>predictorScratch(width))
  for (let y = 0; y < height; y++) {
    const row = y & 1 ? 0 : pitch
    const above = pitch - row
    for (let x = 0; x < width; x++) {
      const at = samples + <usize>(y * width + x) * 4
      const up = at - <usize>width * 4
      const left = x > 0 ? load<i32>(at - 4) : y > 0 ? load<i32>(up) : 0
      const top = y > 0 ? load<i32>(up) : left
      const topRight = x + 1 < width && y > 0 ? load<i32>(up, 4) : top
      const atTop = <usize>(above + x)
      const atRight = x + 1 < width ? atTop + 1 : atTop
      const atLeft = x > 0 ? atTop - 1 : atTop
      const errorLeft = x > 0 ? load<i32>(errors + <usize>(row + x - 1) * 4) : 0
      const errorTop = load<i32>(errors + atTop * 4)
      const errorTopLeft = load<i32>(errors + atLeft * 4)
      const errorTopRight = load<i32>(errors + atRight * 4)
      const index = at - samples
      store<i32>(largest + index, larger(larger(larger(errorLeft, errorTop), errorTopLeft), errorTopRight))
      const w = left << FRACTION_BITS
      const n = top << FRACTION_BITS
      const ne = topRight << FRACTION_BITS
      const guesses = i32x4(
        w + ne - n,
        n - (((errorTop + errorLeft + errorTopRight) * ABOVE_SHARE) >> 5),
        w - (((errorTop + errorLeft + errorTopLeft) * LEFT_SHARE) >> 5),
        n - (((errorTopLeft + errorTop + errorTopRight) * ROW_SHARE) >> 5),
      )
      const around = i32x4.add(
        i32x4.add(v128.load(misses + atTop * 16), v128.load(misses + atRight * 16)),
        v128.load(misses + atLeft * 16),
      )
      let guess = average(
        guesses,
        weightOf(i32x4.extract_lane(around, 0), unchecked(MAX_WEIGHTS[0])),
        weightOf(i32x4.extract_lane(around, 1), unchecked(MAX_WEIGHTS[1])),
        weightOf(i32x4.extract_lane(around, 2), unchecked(MAX_WEIGHTS[2])),
        weightOf(i32x4.extract_lane(around, 3), unchecked(MAX_WEIGHTS[3])),
      )
      // Where the errors around disagree in sign, the guess stays between the neighbours.
      if (((errorTop ^ errorLeft) | (errorTop ^ errorTopLeft)) <= 0)
        guess = max(min(min(w, n), ne), min(max(max(w, n), ne), guess))
      store<i32>(predicted + index, (guess + ROUNDING) >> FRACTION_BITS)
      const actual = load<i32>(at) << FRACTION_BITS
      store<i32>(errors + <usize>(row + x) * 4, guess - actual)
      const missed = i32x4.abs(i32x4.sub(guesses, i32x4.splat(actual)))
      const miss = i32x4.shr_s(i32x4.add(missed, i32x4.splat(ROUNDING)), FRACTION_BITS)
      v128.store(misses + <usize>(row + x) * 16, miss)
      const next = misses + <usize>(above + x + 1) * 16
      v128.store(next, i32x4.add(v128.load(next), miss))
    }
  }
}
