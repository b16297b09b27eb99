// The DCT of 8x8 floats and its inverse, orthonormal (T.81 A.3.3).
import { alloc } from './memory'

/** In memory, because V8 rebuilds each v128 constant in every turn of a loop. */
const COSINES: usize = memory.data<f32>([0.35355339, 0.46193977, 0.19134172, 0.49039264, 0.41573481, 0.27778512, 0.09754516], 16)

// @ts-ignore: decorator
@inline function mul(a: v128, i: usize): v128 { return f32x4.mul(a, v128.load_splat<f32>(COSINES + i * 4)) }
// @ts-ignore: decorator
@inline function add(a: v128, b: v128): v128 { return f32x4.add(a, b) }
// @ts-ignore: decorator
@inline function sub(a: v128, b: v128): v128 { return f32x4.sub(a, b) }

const A = alloc(256)
const B = alloc(256)

/** Eight-point DCT down four columns: rows `step` bytes apart at `p`, results 32 bytes apart at `q`. */
// @ts-ignore: decorator
@inline function forwardColumns(p: usize, step: usize, q: usize): void {
  const x0 = v128.load(p)
  const x7 = v128.load(p + 7 * step)
  const s0 = add(x0, x7)
  const d0 = sub(x0, x7)
  const x1 = v128.load(p + step)
  const x6 = v128.load(p + 6 * step)
  const s1 = add(x1, x6)
  const d1 = sub(x1, x6)
  const x2 = v128.load(p + 2 * step)
  const x5 = v128.load(p + 5 * step)
  const s2 = add(x2, x5)
  const d2 = sub(x2, x5)
  const x3 = v128.load(p + 3 * step)
  const x4 = v128.load(p + 4 * step)
  const s3 = add(x3, x4)
  const d3 = sub(x3, x4)
  const e0 = add(s0, s3)
  const e1 = add(s1, s2)
  const e2 = sub(s1, s2)
  const e3 = sub(s0, s3)
  v128.store(q, mul(add(e0, e1), 0))
  v128.store(q, mul(sub(e0, e1), 0), 128)
  v128.store(q, add(mul(e3, 1), mul(e2, 2)), 64)
  v128.store(q, sub(mul(e3, 2), mul(e2, 1)), 192)
  v128.store(q, add(add(mul(d0, 3), mul(d1, 4)), add(mul(d2, 5), mul(d3, 6))), 32)
  v128.store(q, sub(sub(mul(d0, 4), mul(d1, 6)), add(mul(d2, 3), mul(d3, 5))), 96)
  v128.store(q, add(sub(mul(d0, 5), mul(d1, 3)), add(mul(d2, 6), mul(d3, 4))), 160)
  v128.store(q, sub(add(mul(d0, 6), mul(d2, 4)), add(mul(d1, 5), mul(d3, 3))), 224)
}

/** The 4x4 block at `p` transposed to `q`, rows 32 bytes apart in both. */
// @ts-ignore: decorator
@inline function transpose4(p: usize, q: usize): void {
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

/** The 8x8 floats at `p` transposed to `q`, rows 32 bytes apart in both. */
// @ts-ignore: decorator
@inline function transpose8(p: usize, q: usize): void {
  transpose4(p, q)
  transpose4(p + 16, q + 128)
  transpose4(p + 128, q + 16)
  transpose4(p + 144, q + 144)
}

/** Transforms the 8x8 floats at `p`, rows `step` bytes apart, to `to` as a transposed block, rows 32 bytes apart. */
// @ts-ignore: decorator
@inline export function transformTransposed(p: usize, step: usize, to: usize): void {
  forwardColumns(p, step, A)
  forwardColumns(p + 16, step, A + 16)
  transpose8(A, B)
  forwardColumns(B, 32, to)
  forwardColumns(B + 16, 32, to + 16)
}

/** Eight-point inverse DCT down four columns: rows 32 bytes apart at `p`, results `step` bytes apart at `q`. */
function inverseColumns(p: usize, q: usize, step: usize): void {
  const f0 = v128.load(p)
  const f1 = v128.load(p, 32)
  const f2 = v128.load(p, 64)
  const f3 = v128.load(p, 96)
  const f4 = v128.load(p, 128)
  const f5 = v128.load(p, 160)
  const f6 = v128.load(p, 192)
  const f7 = v128.load(p, 224)
  const a = mul(add(f0, f4), 0)
  const b = mul(sub(f0, f4), 0)
  const c = add(mul(f2, 1), mul(f6, 2))
  const d = sub(mul(f2, 2), mul(f6, 1))
  const e0 = add(a, c)
  const e1 = add(b, d)
  const e2 = sub(b, d)
  const e3 = sub(a, c)
  const o0 = add(add(mul(f1, 3), mul(f3, 4)), add(mul(f5, 5), mul(f7, 6)))
  const o1 = sub(sub(mul(f1, 4), mul(f3, 6)), add(mul(f5, 3), mul(f7, 5)))
  const o2 = add(sub(mul(f1, 5), mul(f3, 3)), add(mul(f5, 6), mul(f7, 4)))
  const o3 = sub(add(mul(f1, 6), mul(f5, 4)), add(mul(f3, 5), mul(f7, 3)))
  v128.store(q, add(e0, o0))
  v128.store(q + step, add(e1, o1))
  v128.store(q + 2 * step, add(e2, o2))
  v128.store(q + 3 * step, add(e3, o3))
  v128.store(q + 4 * step, sub(e3, o3))
  v128.store(q + 5 * step, sub(e2, o2))
  v128.store(q + 6 * step, sub(e1, o1))
  v128.store(q + 7 * step, sub(e0, o0))
}

/** The 8x8 floats whose transform is the transposed block at `block`, to `to`, rows `step` bytes apart. */
export function inverseBlock(block: usize, to: usize, step: usize = 32): void {
  inverseColumns(block, B, 32)
  inverseColumns(block + 16, B + 16, 32)
  transpose8(B, A)
  inverseColumns(A, to, step)
  inverseColumns(A + 16, to + 16, step)
}
