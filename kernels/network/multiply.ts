/** The product that convolutions are made of: runs of samples by a panel of sixteen columns of weights. */

/**
 * Adds to the sums of `pixels` pixels (64 bytes each at `sums`, and room for one more) the products of their samples and a
 * packed panel (16 weights a sample). A pixel has `rows` runs of `count` samples, `row` bytes apart; the next pixel's lie
 * `advance` bytes on. Two pixels are computed together: eight vectors of sums, four of weights and two of samples fill the
 * registers, and the weights serve twice. V8 joins them to half as many of 256 bits; with fewer, it would wait for loads.
 */
export function multiply(
  sums: usize,
  samples: usize,
  advance: usize,
  pixels: i32,
  weights: usize,
  count: i32,
  rows: i32,
  row: usize,
): void {
  for (; pixels > 0; pixels -= 2) {
    // A pixel without a second is computed twice: a few rows of products wasted, no second kernel.
    multiplyPair(sums, samples, pixels == 1 ? 0 : advance, weights, count, rows, row)
    sums += 128
    samples += 2 * advance
  }
}

@inline
function multiplyPair(
  sums: usize,
  samples: usize,
  advance: usize,
  weights: usize,
  count: i32,
  rows: i32,
  row: usize,
): void {
  let a0 = v128.load(sums), a1 = v128.load(sums, 16), a2 = v128.load(sums, 32), a3 = v128.load(sums, 48)
  let b0 = v128.load(sums, 64), b1 = v128.load(sums, 80), b2 = v128.load(sums, 96), b3 = v128.load(sums, 112)
  for (let k = 0; k < rows; k++) {
    let a = samples
    let b = samples + advance
    const end = samples + (<usize>count << 2)
    while (a < end) {
      const w0 = v128.load(weights), w1 = v128.load(weights, 16), w2 = v128.load(weights, 32), w3 = v128.load(weights, 48)
      const x = v128.load32_splat(a)
      a0 = f32x4.add(a0, f32x4.mul(x, w0))
      a1 = f32x4.add(a1, f32x4.mul(x, w1))
      a2 = f32x4.add(a2, f32x4.mul(x, w2))
      a3 = f32x4.add(a3, f32x4.mul(x, w3))
      const y = v128.load32_splat(b)
      b0 = f32x4.add(b0, f32x4.mul(y, w0))
      b1 = f32x4.add(b1, f32x4.mul(y, w1))
      b2 = f32x4.add(b2, f32x4.mul(y, w2))
      b3 = f32x4.add(b3, f32x4.mul(y, w3))
      weights += 64
      a += 4
      b += 4
    }
    samples += row
  }
  v128.store(sums, a1, 16), v128.store(sums, a0)
  v128.store(sums, a3, 48), v128.store(sums, a2, 32)
  v128.store(sums, b1, 80), v128.store(sums, b0, 64)
  v128.store(sums, b3, 112), v128.store(sums, b2, 96)
}
