// Writing (or counting) one scan: DC, first and refining AC of one component, or sequential.
import { emit, emitBits, emitWith } from './bits-out'
import {
  acOf, dcOf, hOf, heightInBlocks, mcusHigh, mcusWide, scanOf, scanSize, vOf, widthInBlocks,
} from './components'
import { openRow, rowOf } from './packed'
export { codesAt, extraBits, histogramAt, openOutput, outputEnd, resetCounts } from './bits-out'

const LAST = memory.data(16, 16)
/** Correction bits waiting behind a run of ends: up to 63 of a block in a u64, their number behind; and how many in all. */
const PENDING = memory.data(1024 * 16, 16)
let pendingEnd: usize = PENDING
let pending: i32 = 0
let eobRun: i32 = 0

// @ts-ignore: decorator
@inline function zeros(p: usize, al: i32): u64 {
  const a = i16x8.eq(i16x8.shr_u(i16x8.abs(v128.load(p)), al), i16x8.splat(0))
  const b = i16x8.eq(i16x8.shr_u(i16x8.abs(v128.load(p, 16)), al), i16x8.splat(0))
  return <u64>i8x16.bitmask(i8x16.narrow_i16x8_s(a, b)) & 0xffff
}

/** Bit k set where coefficient k (zigzag) is not zero after `al` bits are dropped from its magnitude. */
// @ts-ignore: decorator
@inline export function significant(p: usize, al: i32): u64 {
  return ~(zeros(p, al) | (zeros(p + 32, al) << 16) | (zeros(p + 64, al) << 32) | (zeros(p + 96, al) << 48))
}

// @ts-ignore: decorator
@inline function sizeOf(magnitude: i32): i32 { return 32 - clz<i32>(magnitude) }

function emitDc(i: i32, value: i32): void {
  const last = LAST + <usize>i * 4
  const diff = value - load<i32>(last)
  store<i32>(last, value)
  const size = sizeOf(abs(diff))
  emitWith(dcOf(i), size, <u32>(diff < 0 ? diff - 1 : diff), size)
}

function emitAc(i: i32, p: usize): void {
  const slot = 4 + acOf(i)
  let m = significant(p, 0) & ~1
  let prev = 0
  while (m != 0) {
    const k = <i32>ctz<u64>(m)
    m &= m - 1
    emitCoefficient(slot, k - prev - 1, <i32>load<i16>(p + <usize>k * 2), 0)
    prev = k
  }
  if (prev < 63) emit(slot, 0)
}

// @ts-ignore: decorator
@inline function emitCoefficient(slot: i32, run: i32, v: i32, al: i32): void {
  while (run > 15) {
    emit(slot, 0xf0)
    run -= 16
  }
  const magnitude = abs(v) >> al
  const size = sizeOf(magnitude)
  emitWith(slot, (run << 4) | size, <u32>(v < 0 ? ~magnitude : magnitude), size)
}

/** Unpacks the rows of blocks in row `y` of the scan's MCUs. */
function openRows(y: i32): void {
  for (let i = 0; i < scanSize; i++) {
    const c = scanOf(i)
    const v = scanSize == 1 ? 1 : vOf(c)
    for (let by = y * v; by < min(y * v + v, heightInBlocks(c)); by++) openRow(c, by)
  }
}

/** A scan of DC (al bits dropped) and, when `sequential`, of AC too. Blocks that only fill up an MCU repeat the last DC. */
function writeBlocks(sequential: bool, al: i32): void {
  store<u64>(LAST, 0)
  store<u64>(LAST, 0, 8)
  for (let y = 0; y < mcusHigh; y++) {
    openRows(y)
    for (let x = 0; x < mcusWide; x++) {
      for (let i = 0; i < scanSize; i++) {
        const c = scanOf(i)
        const h = scanSize == 1 ? 1 : hOf(c)
        const v = scanSize == 1 ? 1 : vOf(c)
        for (let by = y * v; by < y * v + v; by++) {
          for (let bx = x * h; bx < x * h + h; bx++) {
            if (bx < widthInBlocks(c) && by < heightInBlocks(c)) {
              const p = rowOf(c, by) + <usize>bx * 128
              emitDc(i, <i32>load<i16>(p) >> al)
              if (sequential) emitAc(i, p)
            } else {
              emit(dcOf(i), 0)
              if (sequential) emit(4 + acOf(i), 0)
            }
          }
        }
      }
    }
  }
}

/** DC of the scan's components. */
export function writeDc(al: i32): void { writeBlocks(false, al) }

/** A whole sequential scan. */
export function writeSequential(): void { writeBlocks(true, 0) }

function flushRun(slot: i32): void {
  if (eobRun > 0) {
    const n = 31 - clz<i32>(eobRun)
    emitWith(slot, n << 4, <u32>eobRun, n)
    eobRun = 0
  }
  for (let at = PENDING; at < pendingEnd; at += 16) emitMany(load<u64>(at), load<i32>(at, 8))
  pendingEnd = PENDING
  pending = 0
}

/** `n` (0..63) raw bits. */
function emitMany(bits: u64, n: i32): void {
  for (; n > 16; n -= 16) emitBits(<u32>(bits >> <u64>(n - 16)), 16)
  if (n > 0) emitBits(<u32>bits, n)
}

function forgetPending(): void {
  pendingEnd = PENDING
  pending = 0
}

// @ts-ignore: decorator
@inline function bandMask(ss: i32, se: i32): u64 { return (~(<u64>0) >> <u64>(63 - se)) & (~(<u64>0) << <u64>ss) }

/** Coefficients ss..se of component `c`, all but their `al` lowest bits, with AC slot 4. */
export function writeAcFirst(c: i32, ss: i32, se: i32, al: i32): void {
  const band = bandMask(ss, se)
  eobRun = 0
  forgetPending()
  for (let y = 0; y < heightInBlocks(c); y++) {
    let p = openRow(c, y)
    for (let x = widthInBlocks(c); x > 0; x--, p += 128) {
      let m = significant(p, al) & band
      let prev = ss - 1
      if (m != 0 && eobRun > 0) flushRun(4)
      while (m != 0) {
        const k = <i32>ctz<u64>(m)
        m &= m - 1
        emitCoefficient(4, k - prev - 1, <i32>load<i16>(p + <usize>k * 2), al)
        prev = k
      }
      if (prev < se && ++eobRun == 0x7fff) flushRun(4)
    }
  }
  flushRun(4)
}

/** The bit `al` of coefficients ss..se of component `c`, whose higher bits have gone before, with AC slot 4. */
export function writeAcRefine(c: i32, ss: i32, se: i32, al: i32): void {
  const band = bandMask(ss, se)
  eobRun = 0
  forgetPending()
  for (let y = 0; y < heightInBlocks(c); y++) {
    let p = openRow(c, y)
    for (let x = widthInBlocks(c); x > 0; x--, p += 128) refineBlock(p, ss, se, al, band)
  }
  flushRun(4)
}

/** Bit `al` of the coefficients in `which`, the first one highest. */
// @ts-ignore: decorator
@inline function bitsOf(p: usize, which: u64, al: i32): u64 {
  let bits: u64 = 0
  while (which != 0) {
    const k = <i32>ctz<u64>(which)
    which &= which - 1
    bits = (bits << 1) | <u64>((abs(<i32>load<i16>(p + <usize>k * 2)) >> al) & 1)
  }
  return bits
}

/** The place of the sixteenth bit set. */
function sixteenth(which: u64): i32 {
  for (let i = 0; i < 15; i++) which &= which - 1
  return <i32>ctz<u64>(which)
}

/** Coefficients from `k` on. */
// @ts-ignore: decorator
@inline function from(k: i32): u64 { return k > 63 ? 0 : ~(<u64>0) << <u64>k }

function refineBlock(p: usize, ss: i32, se: i32, al: i32, band: u64): void {
  const m = significant(p, al) & band
  let start = ss
  if (m != 0) {
    const old = significant(p, al + 1) & m
    let news = m & ~old
    while (news != 0) {
      const k = <i32>ctz<u64>(news)
      news &= news - 1
      flushRun(4)
      // Sixteen zeros at a time, with the bits of what lies among them.
      let zeros = ~m & from(start) & ~from(k)
      while (popcnt<u64>(zeros) > 15) {
        const end = sixteenth(zeros)
        const among = old & from(start) & ~from(end)
        emit(4, 0xf0)
        emitMany(bitsOf(p, among, al), <i32>popcnt<u64>(among))
        start = end + 1
        zeros &= from(start)
      }
      emitWith(4, (<i32>popcnt<u64>(zeros) << 4) | 1, load<i16>(p + <usize>k * 2) < 0 ? 0 : 1, 1)
      const among = old & from(start) & ~from(k)
      emitMany(bitsOf(p, among, al), <i32>popcnt<u64>(among))
      start = k + 1
    }
    if (start <= se) {
      const rest = old & from(start)
      if (rest != 0) {
        const n = <i32>popcnt<u64>(rest)
        store<u64>(pendingEnd, bitsOf(p, rest, al))
        store<i32>(pendingEnd, n, 8)
        pendingEnd += 16
        pending += n
      }
    }
  }
  if (start > se) return
  eobRun++
  if (eobRun == 0x7fff || pending > 937) flushRun(4)
}
