// Samples beyond white and black are free: decoders clamp them. Blocks with some of either get cheaper when their white and black
// overshoot. Iterations drop small coefficients and then restore the visible samples.
import { inverseBlock, transformTransposed } from '../common/dct'
import { alloc } from '../common/memory'
import { strideOf } from './components'
import { transformBlock } from './forward'
import { naturalTransposed } from './zigzag'

/** A block's record: its place in the coefficients (u32), 4 bytes unused, then a bit a pixel for white, black, and what is outside the picture. */
const RECORD: usize = 32

/** Whether any byte of the 8x8 pixels at `p` is 0 or 255. */
function extreme(p: usize, channels: i32, step: usize): bool {
  // All of a row's 8, 16, 24 or 32 bytes; those in the middle may be looked at twice.
  const second = <usize>max(0, channels - 2) * 8
  let lowest = channels == 1 ? v128.load_splat<u64>(p) : v128.load(p)
  let highest = lowest
  for (let y = 0; y < 8; y++, p += step) {
    const a = channels == 1 ? v128.load_splat<u64>(p) : v128.load(p)
    const b = channels == 1 ? a : v128.load(p + second)
    lowest = i8x16.min_u(lowest, i8x16.min_u(a, b))
    highest = i8x16.max_u(highest, i8x16.max_u(a, b))
  }
  return !i8x16.all_true(lowest) || !i8x16.all_true(v128.not(highest))
}

let white: u64 = 0
let black: u64 = 0

/** Finds the white and black pixels among the `across` x `down` that the block at `p` has. */
function findExtremes(p: usize, channels: i32, step: usize, across: i32, down: i32): void {
  white = 0
  black = 0
  const green: usize = channels < 3 ? 0 : 1
  for (let y = 0; y < down; y++, p += step) {
    let q = p
    for (let x = 0; x < across; x++, q += channels) {
      const r = load<u8>(q)
      const g = load<u8>(q + green)
      const b = load<u8>(q + green * 2)
      const at = <u64>(y * 8 + x)
      if ((r & g & b) == 255) white |= <u64>1 << at
      else if ((r | g | b) == 0) black |= <u64>1 << at
    }
  }
}

/** A bit for each pixel of a block beyond the `across` x `down` that the picture has of it. */
function beyond(across: i32, down: i32): u64 {
  const row: u64 = (<u64>0xff << <u64>across) & 0xff
  const right = row * 0x0101010101010101
  return down == 8 ? right : right | (~(<u64>0) << <u64>(down * 8))
}

/** Lists the luma blocks that are partly white, black or outside, as records at `out` (room for all blocks); gives how many. */
export function listClipped(from: usize, channels: i32, width: i32, height: i32, out: usize): i32 {
  const start = out
  const step = <usize>(width * channels)
  for (let y = 0; y < height; y += 8) {
    const down = min(8, height - y)
    for (let x = 0; x < width; x += 8) {
      const across = min(8, width - x)
      const p = from + <usize>y * step + <usize>(x * channels)
      const outside = beyond(across, down)
      if (outside == 0 && !extreme(p, channels, step)) continue
      findExtremes(p, channels, step, across, down)
      const free = white | black | outside
      if (free == 0 || (white | outside) == ~(<u64>0) || (black | outside) == ~(<u64>0)) continue
      store<u32>(out, <u32>((y >> 3) * strideOf(0) + (x >> 3)))
      store<u64>(out, white, 8)
      store<u64>(out, black, 16)
      store<u64>(out, outside, 24)
      out += RECORD
    }
  }
  return <i32>((out - start) / RECORD)
}

/** Samples at work, the lowest and highest they may be; coefficients and their thresholds as transposed blocks; scratch. */
const X = alloc(256)
const LOWEST = alloc(256)
const HIGHEST = alloc(256)
const F = alloc(256)
const THRESHOLDS = alloc(256)
const B = alloc(256)

/** 64 floats from zigzag order to a transposed block at `to`. */
function unfold(from: usize, to: usize): void {
  for (let k = 0; k < 64; k++) store<f32>(to + <usize>naturalTransposed(k) * 4, load<f32>(from + <usize>k * 4))
}

/** How far each sample may move: white up, black down, both by `most` beyond the range; those outside the picture as they like. */
function setBounds(record: usize, most: f32): void {
  const whites = load<u64>(record, 8)
  const blacks = load<u64>(record, 16)
  const outside = load<u64>(record, 24)
  const up = f32x4.splat(127 + most)
  const down = f32x4.splat(-128 - most)
  for (let i: usize = 0; i < 256; i += 16) {
    const v = v128.load(X + i)
    const bits = <u64>i >> 2
    v128.store(LOWEST + i, v128.bitselect(f32x4.pmin(v, down), v, four((blacks | outside) >> bits)))
    v128.store(HIGHEST + i, v128.bitselect(f32x4.pmax(v, up), v, four((whites | outside) >> bits)))
  }
}

const LANES: usize = memory.data<u32>([1, 2, 4, 8], 16)
/** All ones in the lanes whose bits are set among the lowest four. */
// @ts-ignore: decorator
@inline function four(bits: u64): v128 {
  const lanes = v128.load(LANES)
  return i32x4.eq(v128.and(i32x4.splat(<i32>bits), lanes), lanes)
}

/** Zeroes in F what is below `part` of its threshold, but DC; false when nothing was. */
function dropSmall(part: f32): bool {
  let dropped = v128.splat<i32>(0)
  const dc = load<f32>(F)
  for (let i: usize = 0; i < 256; i += 16) {
    const v = v128.load(F + i)
    const small = f32x4.lt(f32x4.abs(v), f32x4.mul(v128.load(THRESHOLDS + i), f32x4.splat(part)))
    dropped = v128.or(dropped, v128.and(small, f32x4.ne(v, f32x4.splat(0))))
    v128.store(F + i, v128.andnot(v, small))
  }
  store<f32>(F, dc)
  return v128.any_true(dropped)
}

/** Moves X towards the samples of F, farther than them because that gets there sooner, within the bounds. */
function approach(): void {
  inverseBlock(F, B)
  for (let i: usize = 0; i < 256; i += 16) {
    const v = v128.load(X + i)
    const moved = f32x4.add(v, f32x4.mul(f32x4.sub(v128.load(B + i), v), f32x4.splat(1.9)))
    v128.store(X + i, f32x4.pmax(v128.load(LOWEST + i), f32x4.pmin(v128.load(HIGHEST + i), moved)))
  }
}

@unmanaged class Dering {
  records: usize
  count: i32
  kept: usize
  dct: usize
  thresholds: usize
  first: f32
  last: f32
  turns: i32
  most: f32
  limit: f32
}

/**
 * Rewrites the `count` recorded blocks in `dct` from their transforms as they were, at `kept`: `turns` times what is below a
 * falling part (`first` to `last`) of `thresholds` (f32[64], zigzag order) is dropped. DC stays within +-`limit`.
 */
export function dering(given: Dering): void {
  let records = given.records
  let count = given.count
  let kept = given.kept
  let dct = given.dct
  let thresholds = given.thresholds
  let first = given.first
  let last = given.last
  let turns = given.turns
  let most = given.most
  let limit = given.limit
  unfold(thresholds, THRESHOLDS)
  for (let n = 0; n < count; n++, records += RECORD, kept += 256) {
    const to = dct + <usize>load<u32>(records) * 256
    unfold(kept, F)
    inverseBlock(F, X)
    setBounds(records, most)
    for (let turn = 0; turn < turns; turn++) {
      if (turn > 0) transformTransposed(X, 32, F)
      if (!dropSmall(first + (last - first) * <f32>turn / <f32>(turns - 1))) break
      approach()
    }
    transformBlock(X, 32, F)
    blend(kept, to, limit)
  }
}

/** Puts F at `to`, or a blend of it with what is `kept` where its DC goes beyond the limit. */
function blend(kept: usize, to: usize, limit: f32): void {
  const before = abs(load<f32>(kept))
  const after = abs(load<f32>(F))
  const share: f32 = after <= limit ? 1 : max<f32>(0, (limit - before) / (after - before))
  for (let i: usize = 0; i < 256; i += 16) {
    const v = v128.load(kept + i)
    v128.store(to + i, f32x4.add(v, f32x4.mul(f32x4.sub(v128.load(F + i), v), f32x4.splat(share))))
  }
}
