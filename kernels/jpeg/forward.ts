// The forward DCT of a float plane, orthonormal as T.81 A.3.3 has it, once per image.
import { highOf, strideOf, wideOf } from './components'
import { naturalTransposed } from './zigzag'

const A = memory.data(256, 16)
const B = memory.data(256, 16)

// @ts-ignore: decorator
@inline function s(v: f32): v128 { return f32x4.splat(v) }
// @ts-ignore: decorator
@inline function mul(a: v128, v: f32): v128 { return f32x4.mul(a, f32x4.splat(v)) }
// @ts-ignore: decorator
@inline function add(a: v128, b: v128): v128 { return f32x4.add(a, b) }
// @ts-ignore: decorator
@inline function sub(a: v128, b: v128): v128 { return f32x4.sub(a, b) }

/** Eight-point DCT down four columns: rows `step` bytes apart at `p`, results 32 bytes apart at `q`. */
function columns(p: usize, step: usize, q: usize): void {
  const x0 = v128.load(p)
  const x1 = v128.load(p + step)
  const x2 = v128.load(p + 2 * step)
  const x3 = v128.load(p + 3 * step)
  const x4 = v128.load(p + 4 * step)
  const x5 = v128.load(p + 5 * step)
  const x6 = v128.load(p + 6 * step)
  const x7 = v128.load(p + 7 * step)
  const s0 = add(x0, x7)
  const s1 = add(x1, x6)
  const s2 = add(x2, x5)
  const s3 = add(x3, x4)
  const e0 = add(s0, s3)
  const e1 = add(s1, s2)
  const e2 = sub(s1, s2)
  const e3 = sub(s0, s3)
  v128.store(q, mul(add(e0, e1), 0.35355339))
  v128.store(q, mul(sub(e0, e1), 0.35355339), 128)
  v128.store(q, add(mul(e3, 0.46193977), mul(e2, 0.19134172)), 64)
  v128.store(q, sub(mul(e3, 0.19134172), mul(e2, 0.46193977)), 192)
  const d0 = sub(x0, x7)
  const d1 = sub(x1, x6)
  const d2 = sub(x2, x5)
  const d3 = sub(x3, x4)
  v128.store(q, add(add(mul(d0, 0.49039264), mul(d1, 0.41573481)), add(mul(d2, 0.27778512), mul(d3, 0.09754516))), 32)
  v128.store(q, sub(sub(mul(d0, 0.41573481), mul(d1, 0.09754516)), add(mul(d2, 0.49039264), mul(d3, 0.27778512))), 96)
  v128.store(q, add(sub(mul(d0, 0.27778512), mul(d1, 0.49039264)), add(mul(d2, 0.09754516), mul(d3, 0.41573481))), 160)
  v128.store(q, sub(add(mul(d0, 0.09754516), mul(d2, 0.41573481)), add(mul(d1, 0.27778512), mul(d3, 0.49039264))), 224)
}

/** The 4x4 block at `p` transposed to `q`, rows 32 bytes apart in both. */
function transpose4(p: usize, q: usize): void {
  const a = v128.load(p)
  const b = v128.load(p, 32)
  const c = v128.load(p, 64)
  const d = v128.load(p, 96)
  const ab0 = v128.shuffle<f32>(a, b, 0, 4, 1, 5)
  const ab1 = v128.shuffle<f32>(a, b, 2, 6, 3, 7)
  const cd0 = v128.shuffle<f32>(c, d, 0, 4, 1, 5)
  const cd1 = v128.shuffle<f32>(c, d, 2, 6, 3, 7)
  v128.store(q, v128.shuffle<f32>(ab0, cd0, 0, 1, 4, 5))
  v128.store(q, v128.shuffle<f32>(ab0, cd0, 2, 3, 6, 7), 32)
  v128.store(q, v128.shuffle<f32>(ab1, cd1, 0, 1, 4, 5), 64)
  v128.store(q, v128.shuffle<f32>(ab1, cd1, 2, 3, 6, 7), 96)
}

function block(p: usize, step: usize, dct: usize): void {
  columns(p, step, A)
  columns(p + 16, step, A + 16)
  transpose4(A, B)
  transpose4(A + 16, B + 128)
  transpose4(A + 128, B + 16)
  transpose4(A + 144, B + 144)
  columns(B, 32, A)
  columns(B + 16, 32, A + 16)
  for (let k = 0; k < 64; k++) store<f32>(dct + <usize>k * 4, load<f32>(A + <usize>naturalTransposed(k) * 4))
}

/** Transforms the plane of component `c` (rows of `padded` floats) into `dct`: 64 floats a block in zigzag order, rows of `stride` blocks. */
export function forward(c: i32, plane: usize, padded: i32, dct: usize): void {
  for (let y = 0; y < highOf(c); y++) {
    for (let x = 0; x < wideOf(c); x++) {
      block(plane + <usize>(y * 8 * padded + x * 8) * 4, <usize>padded * 4, dct + <usize>(y * strideOf(c) + x) * 256)
    }
  }
}

/** The variances of each block's four quadrants and its mean, five floats a block, blocks densely row by row. */
export function activity(c: i32, plane: usize, padded: i32, out: usize): void {
  for (let y = 0; y < highOf(c); y++) {
    for (let x = 0; x < wideOf(c); x++) {
      const p = plane + <usize>(y * 8 * padded + x * 8) * 4
      let mean: f32 = 0
      for (let i = 0; i < 4; i++) {
        const m = quadrant(p + <usize>((i >> 1) * 4 * padded + (i & 1) * 4) * 4, <usize>padded * 4, out + <usize>i * 4)
        mean += m * 0.25
      }
      store<f32>(out, mean, 16)
      out += 20
    }
  }
}

function quadrant(p: usize, step: usize, out: usize): f32 {
  let sum = s(0)
  let squares = s(0)
  for (let i = 0; i < 4; i++, p += step) {
    const v = v128.load(p)
    sum = add(sum, v)
    squares = add(squares, f32x4.mul(v, v))
  }
  const mean = lanes(sum) / 16
  store<f32>(out, max<f32>(0, lanes(squares) / 16 - mean * mean))
  return mean
}

function lanes(v: v128): f32 {
  return f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3)
}
