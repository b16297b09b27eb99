// The forward DCT of float rows, orthonormal as T.81 A.3.3 has it, once per image.
import { alloc } from '../common/memory'
import { heightInBlocks, strideOf, widthInBlocks } from './components'
import { add, mul, sub } from './cosines'

const A = alloc(256)
const B = alloc(256)

/** Eight-point DCT down four columns: rows `step` bytes apart at `p`, results 32 bytes apart at `q`. */
// @ts-ignore: decorator
@inline function columns(p: usize, step: usize, q: usize): void {
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
@inline export function transpose8(p: usize, q: usize): void {
  transpose4(p, q)
  transpose4(p + 16, q + 128)
  transpose4(p + 128, q + 16)
  transpose4(p + 144, q + 144)
}

/** The transposed block in A to `to` in zigzag order (T.81 figure A.6), four at a time. */
// @ts-ignore: decorator
@inline function zigzag(to: usize): void {
  const v0 = v128.load(A)
  const v1 = v128.load(A, 16)
  const v2 = v128.load(A, 32)
  const v3 = v128.load(A, 48)
  const v4 = v128.load(A, 64)
  const v5 = v128.load(A, 80)
  const v6 = v128.load(A, 96)
  const v7 = v128.load(A, 112)
  const v8 = v128.load(A, 128)
  const v9 = v128.load(A, 144)
  const v10 = v128.load(A, 160)
  const v11 = v128.load(A, 176)
  const v12 = v128.load(A, 192)
  const v13 = v128.load(A, 208)
  const v14 = v128.load(A, 224)
  const v15 = v128.load(A, 240)
  v128.store(to, v128.shuffle<f32>(v0, v2, 0, 4, 1, 2))
  v128.store(to, v128.shuffle<f32>(v128.shuffle<f32>(v2, v4, 1, 1, 4, 4), v128.shuffle<f32>(v6, v4, 0, 0, 5, 5), 0, 2, 4, 6), 16)
  v128.store(to, v128.shuffle<f32>(v128.shuffle<f32>(v2, v0, 2, 2, 7, 7), v128.shuffle<f32>(v1, v2, 0, 0, 7, 7), 0, 2, 4, 6), 32)
  v128.store(to, v128.shuffle<f32>(v128.shuffle<f32>(v4, v6, 2, 2, 5, 5), v128.shuffle<f32>(v8, v10, 0, 0, 4, 4), 0, 2, 4, 6), 48)
  v128.store(to, v128.shuffle<f32>(v128.shuffle<f32>(v8, v6, 1, 1, 6, 6), v128.shuffle<f32>(v4, v3, 3, 3, 4, 4), 0, 2, 4, 6), 64)
  v128.store(to, v128.shuffle<f32>(v128.shuffle<f32>(v1, v1, 1, 1, 6, 6), v128.shuffle<f32>(v3, v5, 1, 1, 4, 4), 0, 2, 4, 6), 80)
  v128.store(to, v128.shuffle<f32>(v128.shuffle<f32>(v6, v8, 3, 3, 6, 6), v128.shuffle<f32>(v10, v12, 1, 1, 4, 4), 0, 2, 4, 6), 96)
  v128.store(to, v128.shuffle<f32>(v128.shuffle<f32>(v14, v12, 0, 0, 5, 5), v128.shuffle<f32>(v10, v8, 2, 2, 7, 7), 0, 2, 4, 6), 112)
  v128.store(to, v128.shuffle<f32>(v128.shuffle<f32>(v7, v5, 0, 0, 5, 5), v128.shuffle<f32>(v3, v1, 2, 2, 7, 7), 0, 2, 4, 6), 128)
  v128.store(to, v128.shuffle<f32>(v128.shuffle<f32>(v3, v5, 3, 3, 6, 6), v128.shuffle<f32>(v7, v9, 1, 1, 4, 4), 0, 2, 4, 6), 144)
  v128.store(to, v128.shuffle<f32>(v128.shuffle<f32>(v10, v12, 3, 3, 6, 6), v128.shuffle<f32>(v14, v14, 1, 1, 6, 6), 0, 2, 4, 6), 160)
  v128.store(to, v128.shuffle<f32>(v128.shuffle<f32>(v12, v11, 3, 3, 4, 4), v128.shuffle<f32>(v9, v7, 1, 1, 6, 6), 0, 2, 4, 6), 176)
  v128.store(to, v128.shuffle<f32>(v128.shuffle<f32>(v5, v7, 3, 3, 7, 7), v128.shuffle<f32>(v9, v11, 2, 2, 5, 5), 0, 2, 4, 6), 192)
  v128.store(to, v128.shuffle<f32>(v128.shuffle<f32>(v13, v14, 0, 0, 7, 7), v128.shuffle<f32>(v15, v13, 0, 0, 5, 5), 0, 2, 4, 6), 208)
  v128.store(to, v128.shuffle<f32>(v128.shuffle<f32>(v11, v9, 2, 2, 7, 7), v128.shuffle<f32>(v11, v13, 3, 3, 6, 6), 0, 2, 4, 6), 224)
  v128.store(to, v128.shuffle<f32>(v15, v13, 1, 2, 7, 3), 240)
}

/** Transforms the 8x8 floats at `p`, rows `step` bytes apart, into 64 at `dct` in zigzag order. */
export function transformBlock(p: usize, step: usize, dct: usize): void {
  transformTransposed(p, step, A)
  zigzag(dct)
}

/** The same to `to` as a transposed block, rows 32 bytes apart. */
// @ts-ignore: decorator
@inline export function transformTransposed(p: usize, step: usize, to: usize): void {
  columns(p, step, A)
  columns(p + 16, step, A + 16)
  transpose8(A, B)
  columns(B, 32, to)
  columns(B + 16, 32, to + 16)
}

/** Transforms the plane of component `c` (rows of `padded` floats) into `dct`: 64 floats a block in zigzag order, rows of `stride` blocks. */
export function forward(c: i32, plane: usize, padded: i32, dct: usize): void {
  for (let y = 0; y < heightInBlocks(c); y++) {
    for (let x = 0; x < widthInBlocks(c); x++) {
      transformBlock(plane + <usize>(y * 8 * padded + x * 8) * 4, <usize>padded * 4, dct + <usize>(y * strideOf(c) + x) * 256)
    }
  }
}
