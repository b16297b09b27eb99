// Logarithms and powers of two in four lanes.

/** log2(1 + t) / t for t within 1/3 of 0, to 5e-8; then 2^t for t within 1/2 of 0, to 8e-8: by powers, fitted for the smallest worst error. */
const SERIES: usize = memory.data<f32>([
  1.4426941, -0.72134395, 0.4810196, -0.36092674, 0.28459085, -0.23469254, 0.25200857, -0.23192697,
  1.0, 0.69314697, 0.24022121, 0.05550712, 0.009675484, 0.0013276676,
], 16)
/** Two thirds, as bits: from there to four thirds numbers are 1 + t. */
const FOLD: usize = memory.data<i32>([0x3f2aaaab, 0x3f800000, 127], 16)

// @ts-ignore: decorator
@inline function term(i: usize): v128 { return v128.load_splat<f32>(SERIES + i * 4) }
// @ts-ignore: decorator
@inline function step(t: v128, sum: v128, i: usize): v128 { return f32x4.add(f32x4.mul(t, sum), term(i)) }

/** Of positive normal numbers. */
// @ts-ignore: decorator
@inline export function log2(v: v128): v128 {
  const exponent = i32x4.shr_s(i32x4.sub(v, v128.load_splat<i32>(FOLD)), 23)
  const t = f32x4.sub(i32x4.sub(v, i32x4.shl(exponent, 23)), v128.load_splat<f32>(FOLD, 4))
  const high = step(t, step(t, step(t, term(7), 6), 5), 4)
  const sum = step(t, step(t, step(t, step(t, high, 3), 2), 1), 0)
  return f32x4.add(f32x4.convert_i32x4_s(exponent), f32x4.mul(t, sum))
}

/** 2 to the powers, which are within 126 of 0. */
// @ts-ignore: decorator
@inline export function exp2(v: v128): v128 {
  const whole = f32x4.nearest(v)
  const t = f32x4.sub(v, whole)
  const sum = step(t, step(t, step(t, step(t, step(t, term(13), 12), 11), 10), 9), 8)
  const exponent = i32x4.add(i32x4.trunc_sat_f32x4_s(whole), v128.load_splat<i32>(FOLD, 8))
  return f32x4.mul(sum, i32x4.shl(exponent, 23))
}

/** Positive normal numbers to a power. */
// @ts-ignore: decorator
@inline export function power(v: v128, exponent: v128): v128 { return exp2(f32x4.mul(log2(v), exponent)) }
