// Dequantisation and inverse DCT as JPEG XL defines them (ISO/IEC 18181-1, annex I): in floating point, and with HF coefficients drawn towards zero.
import { inverseBlock } from '../common/dct'

/** A coefficient of n is shown as n - DRAWN / n, where n is not 1 or -1: the usual bias of the format. */
const DRAWN: f32 = 0.145

/** Raster index in a transposed block by place in zigzag order. */
const TRANSPOSED: StaticArray<u8> = [
  0, 8, 1, 2, 9, 16, 24, 17, 10, 3, 4, 11, 18, 25, 32, 40, 33, 26, 19, 12, 5, 6, 13, 20, 27, 34, 41, 48, 56, 49, 42, 35,
  28, 21, 14, 7, 15, 22, 29, 36, 43, 50, 57, 58, 51, 44, 37, 30, 23, 31, 38, 45, 52, 59, 60, 53, 46, 39, 47, 54, 61, 62,
  55, 63,
]

/** Dequantises eight coefficients from place `k` in zigzag order; those that are zero are left. */
// @ts-ignore: decorator
@inline function dequantiseEight(coefs: usize, steps: usize, one: f32, block: usize, k: usize): void {
  for (const end = k + 8; k < end; k++) {
    const value = <i32>load<i16>(coefs + 2 * k)
    if (value == 0) continue
    const n = <f32>value
    const shown: f32 = value == 1 ? one : value == -1 ? -one : n - DRAWN / n
    store<f32>(block + 4 * <usize>unchecked(TRANSPOSED[<i32>k]), shown * load<f32>(steps + 4 * k))
  }
}

/** Dequantises a block of i16 in zigzag order at `coefs` to the transposed block; `steps` are 64 floats in zigzag order. */
// @ts-ignore: decorator
@inline function dequantise(coefs: usize, steps: usize, one: f32, block: usize): void {
  memory.fill(block, 0, 256)
  for (let k: usize = 0; k < 64; k += 8)
    if (v128.any_true(v128.load(coefs + 2 * k))) dequantiseEight(coefs, steps, one, block, k)
  store<f32>(block, <f32>load<i16>(coefs) * load<f32>(steps))
}

/** Whether all HF coefficients of a block are zero. */
// @ts-ignore: decorator
@inline function isFlat(coefs: usize): bool {
  let any = i16x8.replace_lane(v128.load(coefs), 0, 0)
  for (let k: usize = 16; k < 128; k += 16) any = v128.or(any, v128.load(coefs + k))
  return !v128.any_true(any)
}

/** Fills 8 x 8 samples with an eighth of the LF coefficient: the transform is orthonormal. */
// @ts-ignore: decorator
@inline function fillFlat(lf: f32, to: usize, row: usize): void {
  const value = f32x4.splat(lf * 0.125)
  for (let y = 0; y < 8; y++, to += row) {
    v128.store(to, value)
    v128.store(to, value, 16)
  }
}

@unmanaged class Inverse {
  coefs: usize
  stride: i32
  wide: i32
  high: i32
  steps: usize
  one: f32
  plane: usize
  pitch: i32
  block: usize
}

/**
 * The samples of a component, floats of 0 to 255 less 128, `pitch` a row at `plane`: `wide` x `high` blocks of rows of `stride`. `steps` are the
 * quantisation steps; 1 is shown as `one`. `block` holds 64 floats.
 */
export function inverse(given: Inverse): void {
  let coefs = given.coefs
  let stride = given.stride
  let wide = given.wide
  let high = given.high
  let steps = given.steps
  let one = given.one
  let plane = given.plane
  let pitch = given.pitch
  let block = given.block
  const row = <usize>pitch * 4
  for (let y = 0; y < high; y++) {
    for (let x = 0; x < wide; x++) {
      const from = coefs + <usize>(y * stride + x) * 128
      const to = plane + <usize>y * 8 * row + <usize>x * 32
      if (isFlat(from)) {
        fillFlat(<f32>load<i16>(from) * load<f32>(steps), to, row)
        continue
      }
      dequantise(from, steps, one, block)
      inverseBlock(block, to, row)
    }
  }
}
