// Cosines of both directions of the float DCT (T.81 A.3.3, orthonormal).

/** In memory, because V8 rebuilds each v128 constant in every turn of a loop. */
const COSINES: usize = memory.data<f32>([0.35355339, 0.46193977, 0.19134172, 0.49039264, 0.41573481, 0.27778512, 0.09754516], 16)

// @ts-ignore: decorator
@inline export function mul(a: v128, i: usize): v128 { return f32x4.mul(a, v128.load_splat<f32>(COSINES + i * 4)) }
// @ts-ignore: decorator
@inline export function add(a: v128, b: v128): v128 { return f32x4.add(a, b) }
// @ts-ignore: decorator
@inline export function sub(a: v128, b: v128): v128 { return f32x4.sub(a, b) }
