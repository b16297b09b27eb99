/** The product that convolutions are made of: four rows of samples by a panel of eight columns of weights. */

/**
 * Adds to a 4 x 8 block at `sums` (32 bytes a row) the products of four runs of `count` samples, `step` bytes apart, and a
 * packed panel (8 weights a sample). Eight sums stay in registers: the two vectors of weights serve four samples each.
 */
@inline
export function multiply4(sums: usize, samples: usize, step: usize, weights: usize, count: usize): void {
  let s00 = v128.load(sums), s01 = v128.load(sums, 16)
  let s10 = v128.load(sums, 32), s11 = v128.load(sums, 48)
  let s20 = v128.load(sums, 64), s21 = v128.load(sums, 80)
  let s30 = v128.load(sums, 96), s31 = v128.load(sums, 112)
  let a0 = samples
  let a1 = samples + step
  let a2 = samples + 2 * step
  let a3 = samples + 3 * step
  const end = samples + (count << 2)
  while (a0 < end) {
    const w0 = v128.load(weights)
    const w1 = v128.load(weights, 16)
    const x0 = v128.load32_splat(a0)
    s00 = f32x4.add(s00, f32x4.mul(x0, w0))
    s01 = f32x4.add(s01, f32x4.mul(x0, w1))
    const x1 = v128.load32_splat(a1)
    s10 = f32x4.add(s10, f32x4.mul(x1, w0))
    s11 = f32x4.add(s11, f32x4.mul(x1, w1))
    const x2 = v128.load32_splat(a2)
    s20 = f32x4.add(s20, f32x4.mul(x2, w0))
    s21 = f32x4.add(s21, f32x4.mul(x2, w1))
    const x3 = v128.load32_splat(a3)
    s30 = f32x4.add(s30, f32x4.mul(x3, w0))
    s31 = f32x4.add(s31, f32x4.mul(x3, w1))
    weights += 32
    a0 += 4
    a1 += 4
    a2 += 4
    a3 += 4
  }
  v128.store(sums, s00), v128.store(sums, s01, 16)
  v128.store(sums, s10, 32), v128.store(sums, s11, 48)
  v128.store(sums, s20, 64), v128.store(sums, s21, 80)
  v128.store(sums, s30, 96), v128.store(sums, s31, 112)
}
