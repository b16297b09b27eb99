// How much error counts in each block of luma: busy blocks hide it (SSIM's own masking).
import { exp2, log2 } from './power'

// @ts-ignore: decorator
@inline function total(v: v128): f32 {
  const pairs = f32x4.add(v, v128.shuffle<f32>(v, v, 2, 3, 0, 1))
  return f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1)
}

@unmanaged class MaskingWeights {
  activities: usize
  n: i32
  floor: f32
  masking: f32
  least: f32
  most: f32
  known: f64
  out: usize
}

/**
 * Writes `n` blocks' weights at `out` (allocate three more) from the variances of their quadrants, four floats each. A weight is the sum of
 * 1 / (variance + `floor`) over its geometric mean, to the power `masking`, within `least` and `most`. `known` is the logarithm (base 2) of
 * another image's mean, or NaN. Returns the logarithm that was used.
 */
export function maskingWeights(given: MaskingWeights): f64 {
  let activities = given.activities
  let n = given.n
  let floor = given.floor
  let masking = given.masking
  let least = given.least
  let most = given.most
  let known = given.known
  let out = given.out
  for (let i: usize = 0; i < <usize>n; i++) {
    const weights = f32x4.div(f32x4.splat(1), f32x4.add(v128.load(activities + i * 16), f32x4.splat(floor)))
    store<f32>(out + i * 4, total(weights))
  }
  for (let i = n; i & 3; i++) store<f32>(out + <usize>i * 4, 1)
  // Logarithms of many blocks are summed in double precision.
  let sum: f64 = 0
  for (let i: usize = 0; i < <usize>n * 4; i += 16) {
    const logs = log2(v128.load(out + i))
    v128.store(out + i, logs)
    sum += <f64>total(logs)
  }
  const taken = isNaN(known) ? sum / <f64>n : known
  const mean = f32x4.splat(<f32>taken)
  for (let i: usize = 0; i < <usize>n * 4; i += 16) {
    const weight = exp2(f32x4.mul(f32x4.sub(v128.load(out + i), mean), f32x4.splat(masking)))
    v128.store(out + i, f32x4.pmax(f32x4.splat(least), f32x4.pmin(f32x4.splat(most), weight)))
  }
  return taken
}
