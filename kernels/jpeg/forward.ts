// The forward DCT of float rows in zigzag order, once per image.
import { transformTransposed } from '../common/dct'
import { alloc } from '../common/memory'
import { heightInBlocks, strideOf, widthInBlocks } from './components'

/** A transposed block. */
const A = alloc(256)

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

/** Transforms the plane of component `c` (rows of `padded` floats) into `dct`: 64 floats a block in zigzag order, rows of `stride` blocks. */
export function forward(c: i32, plane: usize, padded: i32, dct: usize): void {
  for (let y = 0; y < heightInBlocks(c); y++) {
    for (let x = 0; x < widthInBlocks(c); x++) {
      transformBlock(plane + <usize>(y * 8 * padded + x * 8) * 4, <usize>padded * 4, dct + <usize>(y * strideOf(c) + x) * 256)
    }
  }
}
