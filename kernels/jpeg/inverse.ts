// Dequantising and the inverse DCT as libjpeg's "islow" has it, exactly: 13-bit constants, two bits kept between passes,
// 32-bit sums. (Loeffler, Ligtenberg, Moschytz 1989, with products of neighbours gathered into one multiply-add.)
import { alloc } from '../common/memory'
import { coefsOf, heightInBlocks, marksOf, strideOf, widthInBlocks } from './components'
import { natural } from './zigzag'

const BLOCK = alloc(128)

/**
 * Which bytes of each eight coefficients in zigzag order (16 bytes) go where in a row (of 128 bytes, for each eight 16); 128 gives zero. Then the same
 * for the upper left 4x4, as `corner` takes it: rows 0 and 2, with zeros between, then rows 3 and 1 in turn.
 */
const ROWS = memory.data(8 * 128, 16)
const CORNER_ROWS = memory.data(3 * 128, 16)
fillPlaces()

function fillPlaces(): void {
  memory.fill(ROWS, 128, 8 * 128)
  memory.fill(CORNER_ROWS, 128, 3 * 128)
  for (let k = 0; k < 64; k++) {
    const row = natural(k) >> 3
    const column = natural(k) & 7
    place(k, ROWS + <usize>row * 128, column)
    if (row > 3 || column > 3) continue
    if (row & 1) place(k, CORNER_ROWS + 256, column * 2 + (row == 1 ? 1 : 0))
    else place(k, CORNER_ROWS + <usize>row * 64, column * 2)
  }
}

/** Coefficient `k` goes to a `lane` of 16 bits. */
function place(k: i32, row: usize, lane: i32): void {
  const at = row + <usize>((k >> 3) * 16 + lane * 2)
  store<u16>(at, <u16>((k & 7) * 0x0202 + 0x0100))
}

/** The eight coefficients `i` * 8 on, dequantised. */
// @ts-ignore: decorator
@inline function eight(q: usize, steps: usize, i: usize): v128 { return i16x8.mul(v128.load(q + i * 16), v128.load(steps + i * 16)) }
/** The coefficients of a row among the eight in `v`, which begin at `i` * 8. */
// @ts-ignore: decorator
@inline function part(v: v128, row: usize, i: usize): v128 { return i8x16.swizzle(v, v128.load(row + i * 16)) }
// @ts-ignore: decorator
@inline function join(a: v128, b: v128, c: v128): v128 { return v128.or(v128.or(a, b), c) }

/** Dequantises a block to rows. */
// @ts-ignore: decorator
@inline function unfold(q: usize, steps: usize, to: usize): void {
  const v0 = eight(q, steps, 0)
  const v1 = eight(q, steps, 1)
  const v2 = eight(q, steps, 2)
  const v3 = eight(q, steps, 3)
  const v4 = eight(q, steps, 4)
  const v5 = eight(q, steps, 5)
  const v6 = eight(q, steps, 6)
  const v7 = eight(q, steps, 7)
  v128.store(to, join(part(v0, ROWS, 0), part(v1, ROWS, 1), part(v3, ROWS, 3)))
  unfoldRow(ROWS + 128, v0, 0, v1, 1, v2, 2, v3, 3, v5, 5, to + 16)
  unfoldRow(ROWS + 256, v0, 0, v1, 1, v2, 2, v3, 3, v5, 5, to + 32)
  unfoldRow(ROWS + 384, v1, 1, v2, 2, v3, 3, v5, 5, v6, 6, to + 48)
  unfoldRow(ROWS + 512, v1, 1, v2, 2, v4, 4, v5, 5, v6, 6, to + 64)
  unfoldRow(ROWS + 640, v2, 2, v4, 4, v5, 5, v6, 6, v7, 7, to + 80)
  unfoldRow(ROWS + 768, v2, 2, v4, 4, v5, 5, v6, 6, v7, 7, to + 96)
  v128.store(to, join(part(v4, ROWS + 896, 4), part(v6, ROWS + 896, 6), part(v7, ROWS + 896, 7)), 112)
}

/** A row whose coefficients come from five eights: each and its number. */
// @ts-ignore: decorator
@inline function unfoldRow(row: usize, a: v128, i: usize, b: v128, j: usize, c: v128, k: usize, d: v128, l: usize, e: v128, m: usize, to: usize): void {
  v128.store(to, join(join(part(a, row, i), part(b, row, j), part(c, row, k)), part(d, row, l), part(e, row, m)))
}

/**
 * Factors of pairs of neighbours; in memory, because V8 rebuilds each v128 constant in every turn of a loop. Then the rounding terms of
 * both passes, and 128.
 */
const FACTORS: usize = memory.data<i16>([
  8192, 8192, 8192, -8192, 4433, -10704, 10703, 4433,
  -11363, 9633, -6436, 2260, 9633, 2261, -11362, 6437,
  -6436, -11362, -2259, 9633, 2260, 6437, 9633, 11363,
  1024, 0, 0, 2, 128, 128,
], 16)
const FIRST: usize = FACTORS + 48
const SECOND: usize = FACTORS + 52

// @ts-ignore: decorator
@inline function low(a: v128, b: v128): v128 { return v128.shuffle<i16>(a, b, 0, 8, 1, 9, 2, 10, 3, 11) }
// @ts-ignore: decorator
@inline function high(a: v128, b: v128): v128 { return v128.shuffle<i16>(a, b, 4, 12, 5, 13, 6, 14, 7, 15) }
// @ts-ignore: decorator
@inline function dot(a: v128, factors: usize): v128 { return i32x4.dot_i16x8_s(a, v128.load_splat<i32>(FACTORS + factors * 4)) }
// @ts-ignore: decorator
@inline function add(a: v128, b: v128): v128 { return i32x4.add(a, b) }
// @ts-ignore: decorator
@inline function sub(a: v128, b: v128): v128 { return i32x4.sub(a, b) }

/** Eight-point inverse DCT down eight columns of 16-bit rows at `p`, back to `p`; `shift` drops what the scaling added. */
// @ts-ignore: decorator
@inline function columns(p: usize, round: usize, shift: i32): void {
  const r0 = v128.load(p)
  const r1 = v128.load(p, 16)
  const r2 = v128.load(p, 32)
  const r3 = v128.load(p, 48)
  const r4 = v128.load(p, 64)
  const r5 = v128.load(p, 80)
  const r6 = v128.load(p, 96)
  const r7 = v128.load(p, 112)
  half(low(r0, r4), low(r2, r6), low(r7, r5), low(r3, r1), LOW, round, shift)
  half(high(r0, r4), high(r2, r6), high(r7, r5), high(r3, r1), HIGH, round, shift)
  for (let i: usize = 0; i < 128; i += 16) v128.store(p + i, i16x8.narrow_i32x4_s(v128.load(LOW + i), v128.load(HIGH + i)))
}

const LOW = alloc(128)
const HIGH = alloc(128)

/** Four columns from rows interleaved in pairs (0 and 4, 2 and 6, 7 and 5, 3 and 1) to eight rows of 32 bits at `out`. */
// @ts-ignore: decorator
@inline function half(r04: v128, r26: v128, r75: v128, r31: v128, out: usize, round: usize, shift: i32): void {
  const rounding = v128.load_splat<i32>(round)
  const t0 = add(dot(r04, 0), rounding)
  const t1 = add(dot(r04, 1), rounding)
  const t2 = dot(r26, 2)
  const t3 = dot(r26, 3)
  const o0 = add(dot(r75, 4), dot(r31, 5))
  const o1 = add(dot(r75, 6), dot(r31, 7))
  const o2 = add(dot(r75, 8), dot(r31, 9))
  const o3 = add(dot(r75, 10), dot(r31, 11))
  settle(t0, t1, t2, t3, o0, o1, o2, o3, out, shift)
}

/** The even and odd sums together. */
// @ts-ignore: decorator
@inline function settle(t0: v128, t1: v128, t2: v128, t3: v128, o0: v128, o1: v128, o2: v128, o3: v128, out: usize, shift: i32): void {
  const e0 = add(t0, t3)
  const e3 = sub(t0, t3)
  const e1 = add(t1, t2)
  const e2 = sub(t1, t2)
  v128.store(out, i32x4.shr_s(add(e0, o3), shift))
  v128.store(out, i32x4.shr_s(sub(e0, o3), shift), 112)
  v128.store(out, i32x4.shr_s(add(e1, o2), shift), 16)
  v128.store(out, i32x4.shr_s(sub(e1, o2), shift), 96)
  v128.store(out, i32x4.shr_s(add(e2, o1), shift), 32)
  v128.store(out, i32x4.shr_s(sub(e2, o1), shift), 80)
  v128.store(out, i32x4.shr_s(add(e3, o0), shift), 48)
  v128.store(out, i32x4.shr_s(sub(e3, o0), shift), 64)
}

/** As `half`, of columns whose rows 4 to 7 are zero. */
// @ts-ignore: decorator
@inline function upperHalf(r0: v128, r2: v128, r31: v128, out: usize, round: usize, shift: i32): void {
  const t0 = add(dot(r0, 0), v128.load_splat<i32>(round))
  settle(t0, t0, dot(r2, 2), dot(r2, 3), dot(r31, 5), dot(r31, 7), dot(r31, 9), dot(r31, 11), out, shift)
}

/** Both passes of a block that has nothing beyond its upper left 4x4, dequantised, to `p` transposed. */
// @ts-ignore: decorator
@inline function corner(q: usize, steps: usize, p: usize): void {
  const zero = i64x2.splat(0)
  const v0 = eight(q, steps, 0)
  const v1 = eight(q, steps, 1)
  const v2 = eight(q, steps, 2)
  const v3 = eight(q, steps, 3)
  const first = part(v0, CORNER_ROWS, 0)
  const third = join(part(v0, CORNER_ROWS + 128, 0), part(v1, CORNER_ROWS + 128, 1), part(v2, CORNER_ROWS + 128, 2))
  const upper = v128.or(part(v0, CORNER_ROWS + 256, 0), part(v1, CORNER_ROWS + 256, 1))
  const odd = join(upper, part(v2, CORNER_ROWS + 256, 2), part(v3, CORNER_ROWS + 256, 3))
  upperHalf(first, third, odd, LOW, FIRST, 11)
  // Columns 4 to 7 are zero, so the transposed block has four rows.
  const a = i16x8.narrow_i32x4_s(v128.load(LOW), v128.load(LOW, 64))
  const b = i16x8.narrow_i32x4_s(v128.load(LOW, 16), v128.load(LOW, 80))
  const c = i16x8.narrow_i32x4_s(v128.load(LOW, 32), v128.load(LOW, 96))
  const d = i16x8.narrow_i32x4_s(v128.load(LOW, 48), v128.load(LOW, 112))
  const ab = low(a, b)
  const cd = low(c, d)
  const ef = high(a, b)
  const gh = high(c, d)
  const r01 = v128.shuffle<i32>(ab, cd, 0, 4, 1, 5)
  const r23 = v128.shuffle<i32>(ab, cd, 2, 6, 3, 7)
  const r01h = v128.shuffle<i32>(ef, gh, 0, 4, 1, 5)
  const r23h = v128.shuffle<i32>(ef, gh, 2, 6, 3, 7)
  const r0 = v128.shuffle<i64>(r01, r01h, 0, 2)
  const r1 = v128.shuffle<i64>(r01, r01h, 1, 3)
  const r2 = v128.shuffle<i64>(r23, r23h, 0, 2)
  const r3 = v128.shuffle<i64>(r23, r23h, 1, 3)
  upperHalf(low(r0, zero), low(r2, zero), low(r3, r1), LOW, SECOND, 18)
  upperHalf(high(r0, zero), high(r2, zero), high(r3, r1), HIGH, SECOND, 18)
  for (let i: usize = 0; i < 128; i += 16) v128.store(p + i, i16x8.narrow_i32x4_s(v128.load(LOW + i), v128.load(HIGH + i)))
}

/** The 8x8 block of 16-bit values at `p`, transposed in place. */
// @ts-ignore: decorator
@inline function transpose(p: usize): void {
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

/**
 * Samples of component `c` as a decoder shows them: `steps` is i16[64] in zigzag order, `plane` has rows of stride * 8 bytes. Blocks that have not
 * changed are left as they are.
 */
export function inverse(c: i32, steps: usize, plane: usize): void {
  const step = <usize>strideOf(c) * 8
  let marks = marksOf(c)
  for (let y = 0; y < heightInBlocks(c); y++) {
    for (let x = 0; x < widthInBlocks(c); x++, marks += 8) {
      const mask = load<u64>(marks)
      if ((mask & 1) == 0) continue
      store<u64>(marks, mask & ~1)
      inverseBlock(mask & ~1, coefsOf(c) + <usize>(y * strideOf(c) + x) * 128, steps, plane + <usize>y * 8 * step + <usize>x * 8, step)
    }
  }
}

/** Of zigzag order what lies in a block's upper left 4x4. */
const CORNER: u64 = 0x1063bff

function inverseBlock(mask: u64, q: usize, steps: usize, to: usize, step: usize): void {
  const dc = <i32>load<i16>(q) * <i32>load<i16>(steps)
  if (mask == 0) {
    const flat = <u64>max(0, min(255, ((dc * 4 + 16) >> 5) + 128)) * 0x0101010101010101
    for (let i = 0; i < 8; i++) store<u64>(to + <usize>i * step, flat)
    return
  }
  if ((mask & ~CORNER) == 0) corner(q, steps, BLOCK)
  else {
    unfold(q, steps, BLOCK)
    columns(BLOCK, FIRST, 11)
    transpose(BLOCK)
    columns(BLOCK, SECOND, 18)
  }
  showTransposed(to, step)
}

// @ts-ignore: decorator
@inline function bytes(i: usize): v128 {
  const middle = v128.load_splat<i16>(FACTORS + 56)
  return i8x16.narrow_i16x8_u(i16x8.add_sat_s(v128.load(BLOCK + i), middle), i16x8.add_sat_s(v128.load(BLOCK + i + 16), middle))
}
// @ts-ignore: decorator
@inline function interleaved(a: v128, b: v128): v128 { return v128.shuffle<i8>(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23) }
// @ts-ignore: decorator
@inline function interleavedHigh(a: v128, b: v128): v128 { return v128.shuffle<i8>(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31) }

/** The transposed block as samples, eight rows of eight. */
// @ts-ignore: decorator
@inline function showTransposed(to: usize, step: usize): void {
  const a = bytes(0)
  const b = bytes(32)
  const c = bytes(64)
  const d = bytes(96)
  // Halves of a are columns 0 and 1 and so on: weave 0 with 4, 1 with 5, then 2 and 6, 3 and 7 into those.
  const ac = interleaved(a, c)
  const ac1 = interleavedHigh(a, c)
  const bd = interleaved(b, d)
  const bd1 = interleavedHigh(b, d)
  const even = interleaved(ac, bd)
  const evenHigh = interleavedHigh(ac, bd)
  const odd = interleaved(ac1, bd1)
  const oddHigh = interleavedHigh(ac1, bd1)
  const r01 = interleaved(even, odd)
  const r23 = interleavedHigh(even, odd)
  const r45 = interleaved(evenHigh, oddHigh)
  const r67 = interleavedHigh(evenHigh, oddHigh)
  v128.store64_lane(to, r01, 0)
  v128.store64_lane(to + step, r01, 1)
  v128.store64_lane(to + 2 * step, r23, 0)
  v128.store64_lane(to + 3 * step, r23, 1)
  v128.store64_lane(to + 4 * step, r45, 0)
  v128.store64_lane(to + 5 * step, r45, 1)
  v128.store64_lane(to + 6 * step, r67, 0)
  v128.store64_lane(to + 7 * step, r67, 1)
}
