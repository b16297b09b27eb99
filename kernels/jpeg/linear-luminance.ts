// The mean luminance of blocks. sRGB's curve is a cubic here, within 0.0013 (luminance is 0..1) of the true one and, from a tenth of the
// range on, its slope within 2.5 %; only differences between two images measured alike are of use. In 16 bits: w is the code value
// less 128, u its square.

/** By powers of w / 128 times 8192: 2, 1, and twice that of 3, because it is multiplied by u / 32768; then 128. */
const CURVE: usize = memory.data<i16>([2366, 3816, 632, 128], 16)
/** The curve at w = 0. */
const MIDDLE: f32 = 0.2166927
/** Sums are in these: 8192 * 16384. */
const UNIT: f32 = 134217728

// @ts-ignore: decorator
@inline function constant(i: usize): v128 { return v128.load_splat<i16>(CURVE + i * 2) }

/** Light of the eight code values (16 bits each, 0..255) in `v` less that of 128, in four sums of two. */
// @ts-ignore: decorator
@inline export function luminances(w: v128): v128 {
  const u = i16x8.mul(w, w)
  const odd = i16x8.add(i16x8.q15mulr_sat_s(u, constant(2)), constant(1))
  return i32x4.add(i32x4.dot_i16x8_s(u, constant(0)), i32x4.dot_i16x8_s(i16x8.shl(w, 7), odd))
}

// @ts-ignore: decorator
@inline function addTo(sums: usize, w: v128): void { v128.store(sums, i32x4.add(v128.load(sums), luminances(w))) }

/** Eight lanes of ones, then of zeros: from 16 - 2n on the first n lanes are kept. */
export const KEEP: usize = memory.data<u64>([0xffffffffffffffff, 0xffffffffffffffff, 0, 0], 16)

/** Adds the luminance of rows of red, green and blue samples (`step` apart) to each block's sums, 48 bytes a block. */
export function luminanceRow(row: usize, step: usize, width: i32, sums: usize): void {
  const middle = constant(3)
  for (let x = 0; x < width; x += 8, row += 8, sums += 48) {
    const keep = v128.load(KEEP + 16 - 2 * <usize>min(8, width - x))
    addTo(sums, v128.and(i16x8.sub(v128.load8x8_u(row), middle), keep))
    if (step == 0) continue
    addTo(sums + 16, v128.and(i16x8.sub(v128.load8x8_u(row + step), middle), keep))
    addTo(sums + 32, v128.and(i16x8.sub(v128.load8x8_u(row + 2 * step), middle), keep))
  }
}

// @ts-ignore: decorator
@inline function total(at: usize): f32 {
  const v = f32x4.convert_i32x4_s(v128.load(at))
  const pairs = f32x4.add(v, v128.shuffle<f32>(v, v, 2, 3, 0, 1))
  return f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1)
}

/** The means of `rows` rows' sums: red, green and blue a block at `out`; clears the sums. Grey has only the first sum. */
export function luminanceMeans(sums: usize, grey: bool, width: i32, rows: i32, out: usize): void {
  const blocks = (width + 7) >> 3
  for (let i = 0, at = sums; i < blocks; i++, at += 48, out += 12) {
    const share: f32 = <f32>1 / (UNIT * <f32>(min(8, width - i * 8) * rows))
    const red = total(at) * share + MIDDLE
    store<f32>(out, red)
    store<f32>(out, grey ? red : total(at + 16) * share + MIDDLE, 4)
    store<f32>(out, grey ? red : total(at + 32) * share + MIDDLE, 8)
  }
  memory.fill(sums, 0, <usize>blocks * 48)
}
