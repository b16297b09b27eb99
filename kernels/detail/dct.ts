// The DCT of 8 x 8 floats and its inverse (T.81 A.3.3, orthonormal). Rows of a block are 32 bytes apart.
import { alloc } from '../common/memory'

/** In memory, because V8 rebuilds each v128 constant in every turn of a loop. */
const COSINES: usize = memory.data<f32>([0.35355339, 0.46193977, 0.19134172, 0.49039264, 0.41573481, 0.27778512, 0.09754516], 16)
const A = alloc(256)
const B = alloc(256)

@inline function mul(a: v128, i: usize): v128 { return f32x4.mul(a, v128.load_splat<f32>(COSINES + i * 4)) }
@inline function add(a: v128, b: v128): v128 { return f32x4.add(a, b) }
@inline function sub(a: v128, b: v128): v128 { return f32x4.sub(a, b) }

/** The DCT down four columns: rows `step` bytes apart at `p`, results 32 bytes apart at `q`. */
@inline
function forwardColumns(p: usize, step: usize, q: usize): void {
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

/** The inverse down four columns at `p`, whose results are added to floats at `q`, rows `step` bytes apart, or replace them. */
@inline
function inverseColumns(p: usize, q: usize, step: usize, isSum: bool): void {
  const c0 = mul(v128.load(p), 0)
  const c4 = mul(v128.load(p, 128), 0)
  const c2 = v128.load(p, 64)
  const c6 = v128.load(p, 192)
  const outer = add(c0, c4)
  const inner = sub(c0, c4)
  const wide = add(mul(c2, 1), mul(c6, 2))
  const narrow = sub(mul(c2, 2), mul(c6, 1))
  const c1 = v128.load(p, 32)
  const c3 = v128.load(p, 96)
  const c5 = v128.load(p, 160)
  const c7 = v128.load(p, 224)
  const o0 = add(add(mul(c1, 3), mul(c3, 4)), add(mul(c5, 5), mul(c7, 6)))
  const o1 = sub(sub(mul(c1, 4), mul(c3, 6)), add(mul(c5, 3), mul(c7, 5)))
  const o2 = add(sub(mul(c1, 5), mul(c3, 3)), add(mul(c5, 6), mul(c7, 4)))
  const o3 = sub(add(mul(c1, 6), mul(c5, 4)), add(mul(c3, 5), mul(c7, 3)))
  put(q, 0, step, add(outer, wide), o0, isSum)
  put(q, 1, step, add(inner, narrow), o1, isSum)
  put(q, 2, step, sub(inner, narrow), o2, isSum)
  put(q, 3, step, sub(outer, wide), o3, isSum)
}

/** Rows `i` and 7 - `i`: the sum and the difference of both halves. */
@inline
function put(q: usize, i: usize, step: usize, even: v128, odd: v128, isSum: bool): void {
  const upper = q + i * step
  const lower = q + (7 - i) * step
  const first = add(even, odd)
  const last = sub(even, odd)
  v128.store(upper, isSum ? add(v128.load(upper), first) : first)
  v128.store(lower, isSum ? add(v128.load(lower), last) : last)
}

/** The 4x4 block at `p` transposed to `q`. */
@inline
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

@inline
function transpose8(p: usize, q: usize): void {
  transpose4(p, q)
  transpose4(p + 16, q + 128)
  transpose4(p + 128, q + 16)
  transpose4(p + 144, q + 144)
}

/** Transforms the 8x8 floats at `p`, rows `step` bytes apart, to a transposed block at `to`. */
@inline
export function forwardBlock(p: usize, step: usize, to: usize): void {
  forwardColumns(p, step, A)
  forwardColumns(p + 16, step, A + 16)
  transpose8(A, B)
  forwardColumns(B, 32, to)
  forwardColumns(B + 16, 32, to + 16)
}

/** Adds what a transposed block shows to the 8x8 floats at `q`, rows `step` bytes apart. */
@inline
export function addInverseBlock(block: usize, q: usize, step: usize): void {
  inverseColumns(block, A, 32, false)
  inverseColumns(block + 16, A + 16, 32, false)
  transpose8(A, B)
  inverseColumns(B, q, step, true)
  inverseColumns(B + 16, q + 16, step, true)
}
