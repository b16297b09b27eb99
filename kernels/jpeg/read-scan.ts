// Reading one scan's coefficients, sequential (T.81 F.2) or progressive (G.2), for data that may be anything at all.
import { bit, bitsAt, bitsLimit, dropBits, exhausted, extended, moveBits, need32, openBits, take } from './bits-in'
import {
  acOf, coefsOf, dcOf, hOf, mcusHigh, mcusWide, scanOf, scanSize, strideOf, vOf,
} from './components'
import { symbol, tableAt } from './huffman-in'

const LAST = memory.data(16, 16)
let eobRun: i32 = 0
let from: i32 = 0
let upto: i32 = 0
let low: i32 = 0

/** Kinds of scan, an argument of `readScan`. */
const SEQUENTIAL = 0
const DC_FIRST = 1
const DC_REFINE = 2
const AC_FIRST = 3
const AC_REFINE = 4

// Differences reach 15 bits when written again, so no DC may leave +-16383 (8-bit images stay within 2047).
// @ts-ignore: decorator
@inline function held(v: i32, bound: i32): i32 { return max(-bound, min(bound, v)) }

/** Adds the DC difference read; false when the code is no DC code. */
function readDc(p: usize, i: i32, table: usize): bool {
  need32()
  const size = symbol(table)
  if (size < 0 || size > 15) return false
  const last = LAST + <usize>i * 4
  const dc = held(load<i32>(last) + (size == 0 ? 0 : extended(size)), 16383 >> low)
  store<i32>(last, dc)
  store<i16>(p, <i16>(dc << low))
  return true
}

function readSequential(p: usize, i: i32, dc: usize, ac: usize): bool {
  if (!readDc(p, i, dc)) return false
  for (let k = 1; k < 64; k++) {
    need32()
    const s = symbol(ac)
    if (s < 0) return false
    const size = s & 15
    if (size == 0) {
      if (s != 0xf0) break
      k += 15
      continue
    }
    k += s >> 4
    if (k > 63) return false
    store<i16>(p + <usize>k * 2, <i16>extended(size))
  }
  return true
}

function readAcFirst(p: usize, ac: usize): bool {
  if (eobRun > 0) {
    eobRun--
    return true
  }
  for (let k = from; k <= upto; k++) {
    need32()
    const s = symbol(ac)
    if (s < 0) return false
    const run = s >> 4
    const size = s & 15
    if (size == 0) {
      if (run == 15) {
        k += 15
        continue
      }
      eobRun = (1 << run) - 1 + (run > 0 ? take(run) : 0)
      break
    }
    k += run
    if (k > upto) return false
    store<i16>(p + <usize>k * 2, <i16>held(extended(size) << low, 32767))
  }
  return true
}

// @ts-ignore: decorator
@inline function refine(q: usize, c: i32): void {
  const one = 1 << low
  if (bit() && (c & one) == 0) store<i16>(q, <i16>(c >= 0 ? c + one : c - one))
}

function readAcRefine(p: usize, ac: usize): bool {
  let k = from
  if (eobRun == 0) {
    for (; k <= upto; k++) {
      need32()
      const s = symbol(ac)
      if (s < 0) return false
      let run = s >> 4
      let fresh = 0
      if ((s & 15) != 0) fresh = bit() ? 1 << low : -(1 << low)
      else if (run != 15) {
        eobRun = (1 << run) + (run > 0 ? take(run) : 0)
        break
      }
      for (; k <= upto; k++) {
        const q = p + <usize>k * 2
        const c = <i32>load<i16>(q)
        if (c != 0) refine(q, c)
        else if (--run < 0) break
      }
      if (fresh != 0) {
        // libjpeg would put it beyond the band; no encoder asks for that.
        if (k > upto) return false
        store<i16>(p + <usize>k * 2, <i16>fresh)
      }
    }
  }
  if (eobRun > 0) {
    for (; k <= upto; k++) {
      const q = p + <usize>k * 2
      const c = <i32>load<i16>(q)
      if (c != 0) refine(q, c)
    }
    eobRun--
  }
  return true
}

function readBlock(kind: i32, p: usize, i: i32): bool {
  if (kind == SEQUENTIAL) return readSequential(p, i, tableAt(0, dcOf(i)), tableAt(1, acOf(i)))
  if (kind == DC_FIRST) return readDc(p, i, tableAt(0, dcOf(i)))
  if (kind == DC_REFINE) {
    if (bit()) store<i16>(p, <i16>(<i32>load<i16>(p) | (1 << low)))
    return true
  }
  return kind == AC_FIRST ? readAcFirst(p, tableAt(1, acOf(i))) : readAcRefine(p, tableAt(1, acOf(i)))
}

function readMcu(kind: i32, x: i32, y: i32): bool {
  if (scanSize == 1) {
    const c = scanOf(0)
    return readBlock(kind, coefsOf(c) + <usize>(y * strideOf(c) + x) * 128, 0)
  }
  for (let i = 0; i < scanSize; i++) {
    const c = scanOf(i)
    const h = hOf(c)
    const v = vOf(c)
    for (let by = 0; by < v; by++) {
      for (let bx = 0; bx < h; bx++) {
        if (!readBlock(kind, coefsOf(c) + <usize>((y * v + by) * strideOf(c) + x * h + bx) * 128, i)) return false
      }
    }
  }
  return true
}

/** Position of the next marker's 0xff at or after `p`; the limit when there is none. */
function nextMarker(p: usize): usize {
  const limit = bitsLimit()
  for (; p + 1 < limit; p++) {
    if (load<u8>(p) == 0xff) {
      const m = load<u8>(p, 1)
      if (m != 0 && m != 0xff) return p
    }
  }
  return limit
}

/** Moves to the restart marker numbered `due`. 0: there; 1: a later one stands here, this interval is lost; 2: none left. */
function resync(due: i32): i32 {
  while (true) {
    const p = nextMarker(bitsAt())
    moveBits(p)
    if (p >= bitsLimit()) return 2
    const m = <i32>load<u8>(p, 1)
    if (m < 0xd0 || m > 0xd7) return 2
    const ahead = (m - 0xd0 - due) & 7
    if (ahead == 1 || ahead == 2) return 1
    moveBits(p + 2)
    if (ahead < 6) return 0
  }
}

/** Where the last `readScan` stopped: at a marker or the limit. */
export function scanEnd(): usize {
  while (true) {
    const p = nextMarker(bitsAt())
    if (p >= bitsLimit()) return p
    const m = load<u8>(p, 1)
    if (m < 0xd0 || m > 0xd7) return p
    moveBits(p + 2)
  }
}

@unmanaged class ReadScan {
  first: usize
  last: usize
  kind: i32
  ss: i32
  se: i32
  al: i32
  interval: i32
}

/**
 * Reads the scan described by `scan` and `scanComponent` from the bytes first..last (last excluded) with a restart marker
 * every `interval` MCUs (0: none). Gives how many intervals were damaged or missing: 0 means all is well.
 */
export function readScan(given: ReadScan): i32 {
  let first = given.first
  let last = given.last
  let kind = given.kind
  let ss = given.ss
  let se = given.se
  let al = given.al
  let interval = given.interval
  openBits(first, last)
  from = ss
  upto = se
  low = al
  const total = mcusWide * mcusHigh
  const step = interval > 0 ? interval : total
  let faults = 0
  let lost = 0
  for (let start = 0, n = 0; start < total; start += step, n++) {
    if (start > 0) {
      dropBits()
      lost = resync((n - 1) & 7)
      if (lost == 2) return faults + 1
    }
    if (lost == 1 || !readInterval(kind, start, min(total, start + step))) faults++
  }
  return faults
}

function readInterval(kind: i32, start: i32, end: i32): bool {
  store<u64>(LAST, 0)
  store<u64>(LAST, 0, 8)
  eobRun = 0
  let x = start % mcusWide
  let y = start / mcusWide
  for (let m = start; m < end; m++) {
    if (!readMcu(kind, x, y)) return false
    if (exhausted()) return false
    if (++x == mcusWide) {
      x = 0
      y++
    }
  }
  return true
}
