// Dequantising and the inverse DCT as libjpeg's "islow" has it, exactly: 13-bit constants, two bits kept between passes,
// 32-bit sums. (Loeffler, Ligtenberg, Moschytz 1989, with products of neighbours gathered into one multiply-add.)
import { coefsOf, highOf, strideOf, wideOf } from './components'
import { significant } from './write-scan'
import { natural } from './zigzag'

const BLOCK = memory.data(128, 16)

// @ts-ignore: decorator
@inline function pair(a: i16, b: i16): v128 { return i16x8(a, b, a, b, a, b, a, b) }
// @ts-ignore: decorator
@inline function low(a: v128, b: v128): v128 { return v128.shuffle<i16>(a, b, 0, 8, 1, 9, 2, 10, 3, 11) }
// @ts-ignore: decorator
@inline function high(a: v128, b: v128): v128 { return v128.shuffle<i16>(a, b, 4, 12, 5, 13, 6, 14, 7, 15) }
// @ts-ignore: decorator
@inline function dot(a: v128, b: v128): v128 { return i32x4.dot_i16x8_s(a, b) }
// @ts-ignore: decorator
@inline function add(a: v128, b: v128): v128 { return i32x4.add(a, b) }
// @ts-ignore: decorator
@inline function sub(a: v128, b: v128): v128 { return i32x4.sub(a, b) }

/** Eight-point inverse DCT down eight columns of 16-bit rows at `p`, back to `p`; `shift` drops what the scaling added. */
function columns(p: usize, shift: i32): void {
  const r0 = v128.load(p)
  const r1 = v128.load(p, 16)
  const r2 = v128.load(p, 32)
  const r3 = v128.load(p, 48)
  const r4 = v128.load(p, 64)
  const r5 = v128.load(p, 80)
  const r6 = v128.load(p, 96)
  const r7 = v128.load(p, 112)
  half(low(r0, r4), low(r2, r6), low(r7, r5), low(r3, r1), LOW, shift)
  half(high(r0, r4), high(r2, r6), high(r7, r5), high(r3, r1), HIGH, shift)
  for (let i: usize = 0; i < 128; i += 16) v128.store(p + i, i16x8.narrow_i32x4_s(v128.load(LOW + i), v128.load(HIGH + i)))
}

const LOW = memory.data(128, 16)
const HIGH = memory.data(128, 16)

/** Four columns from rows interleaved in pairs (0 and 4, 2 and 6, 7 and 5, 3 and 1) to eight rows of 32 bits at `out`. */
// @ts-ignore: decorator
@inline function half(r04: v128, r26: v128, r75: v128, r31: v128, out: usize, shift: i32): void {
  const round = i32x4.splat(1 << (shift - 1))
  const t0 = add(dot(r04, pair(8192, 8192)), round)
  const t1 = add(dot(r04, pair(8192, -8192)), round)
  const t2 = dot(r26, pair(4433, 4433 - 15137))
  const t3 = dot(r26, pair(4433 + 6270, 4433))
  const e0 = add(t0, t3)
  const e3 = sub(t0, t3)
  const e1 = add(t1, t2)
  const e2 = sub(t1, t2)
  const o0 = add(dot(r75, pair(-11363, 9633)), dot(r31, pair(-6436, 2260)))
  const o1 = add(dot(r75, pair(9633, 2261)), dot(r31, pair(-11362, 6437)))
  const o2 = add(dot(r75, pair(-6436, -11362)), dot(r31, pair(-2259, 9633)))
  const o3 = add(dot(r75, pair(2260, 6437)), dot(r31, pair(9633, 11363)))
  v128.store(out, i32x4.shr_s(add(e0, o3), shift))
  v128.store(out, i32x4.shr_s(sub(e0, o3), shift), 112)
  v128.store(out, i32x4.shr_s(add(e1, o2), shift), 16)
  v128.store(out, i32x4.shr_s(sub(e1, o2), shift), 96)
  v128.store(out, i32x4.shr_s(add(e2, o1), shift), 32)
  v128.store(out, i32x4.shr_s(sub(e2, o1), shift), 80)
  v128.store(out, i32x4.shr_s(add(e3, o0), shift), 48)
  v128.store(out, i32x4.shr_s(sub(e3, o0), shift), 64)
}

/** The 8x8 block of 16-bit values at `p`, transposed in place. */
function transpose(p: usize): void {
  const a0 = low(v128.load(p), v128.load(p, 64))
  const a1 = high(v128.load(p), v128.load(p, 64))
  const a2 = low(v128.load(p, 16), v128.load(p, 80))
  const a3 = high(v128.load(p, 16), v128.load(p, 80))
  const a4 = low(v128.load(p, 32), v128.load(p, 96))
  const a5 = high(v128.load(p, 32), v128.load(p, 96))
  const a6 = low(v128.load(p, 48), v128.load(p, 112))
  const a7 = high(v128.load(p, 48), v128.load(p, 112))
  const b0 = low(a0, a4)
  const b1 = high(a0, a4)
  const b2 = low(a1, a5)
  const b3 = high(a1, a5)
  const b4 = low(a2, a6)
  const b5 = high(a2, a6)
  const b6 = low(a3, a7)
  const b7 = high(a3, a7)
  v128.store(p, low(b0, b4))
  v128.store(p, high(b0, b4), 16)
  v128.store(p, low(b1, b5), 32)
  v128.store(p, high(b1, b5), 48)
  v128.store(p, low(b2, b6), 64)
  v128.store(p, high(b2, b6), 80)
  v128.store(p, low(b3, b7), 96)
  v128.store(p, high(b3, b7), 112)
}

/** Samples of component `c` as a decoder shows them: `steps` is i16[64] in zigzag order, `plane` has rows of stride * 8 bytes. */
export function inverse(c: i32, steps: usize, plane: usize): void {
  const step = <usize>strideOf(c) * 8
  for (let y = 0; y < highOf(c); y++) {
    for (let x = 0; x < wideOf(c); x++) {
      inverseBlock(coefsOf(c) + <usize>(y * strideOf(c) + x) * 128, steps, plane + <usize>y * 8 * step + <usize>x * 8, step)
    }
  }
}

function inverseBlock(q: usize, steps: usize, to: usize, step: usize): void {
  const dc = <i32>load<i16>(q) * <i32>load<i16>(steps)
  let mask = significant(q, 0) & ~1
  if (mask == 0) {
    const flat = <u64>max(0, min(255, ((dc * 4 + 16) >> 5) + 128)) * 0x0101010101010101
    for (let i = 0; i < 8; i++) store<u64>(to + <usize>i * step, flat)
    return
  }
  for (let i: usize = 0; i < 128; i += 16) v128.store(BLOCK + i, i64x2.splat(0))
  store<i16>(BLOCK, <i16>dc)
  while (mask != 0) {
    const k = <i32>ctz<u64>(mask)
    mask &= mask - 1
    store<i16>(BLOCK + <usize>natural(k) * 2, load<i16>(q + <usize>k * 2) * load<i16>(steps + <usize>k * 2))
  }
  columns(BLOCK, 11)
  transpose(BLOCK)
  columns(BLOCK, 18)
  transpose(BLOCK)
  for (let i: usize = 0; i < 8; i++) {
    const row = i16x8.add_sat_s(v128.load(BLOCK + i * 16), i16x8.splat(128))
    v128.store64_lane(to + i * step, i8x16.narrow_i16x8_u(row, row), 0)
  }
}
