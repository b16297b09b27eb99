// Symbols of scans of many bands, from one pass over the coefficients. The pass finds the significant coefficients at each number of
// dropped bits, and from them the symbols of a band and of its parts at several cuts.
import { heightInBlocks, widthInBlocks } from './components'
import { openRow } from './packed'

/** Bytes of a histogram: u32[256]. */
const PAGE: usize = 1024
/** Bounds of 1, 2, 4 and 8 less one, i16. */
const BELOW: usize = memory.data<i16>([0, 1, 3, 7], 16)

// @ts-ignore: decorator
@inline function sixteen(p: usize, below: v128): u64 {
  const a = i16x8.gt_s(i16x8.abs(v128.load(p)), below)
  const b = i16x8.gt_s(i16x8.abs(v128.load(p, 16)), below)
  return <u64>i8x16.bitmask(i8x16.narrow_i16x8_s(a, b))
}
// @ts-ignore: decorator
@inline function significant(p: usize, bits: usize): u64 {
  const below = v128.load_splat<i16>(BELOW + bits * 2)
  return (sixteen(p, below) | (sixteen(p + 32, below) << 16) | (sixteen(p + 64, below) << 32) | (sixteen(p + 96, below) << 48)) & ~1
}

/**
 * Surveys component `c`. For each number of dropped bits below `bits` (at most 4), `masks` gets an array of one u64 a block: the AC coefficients
 * that are then not zero. `dcs` gets DC, i16. Returns the number of blocks whose last coefficient is zero.
 */
export function surveyBlocks(c: i32, bits: i32, masks: usize, dcs: usize): i32 {
  let withEob = 0
  const each = <usize>(widthInBlocks(c) * heightInBlocks(c)) * 8
  for (let y = 0; y < heightInBlocks(c); y++) {
    let p = openRow(c, y)
    for (let x = widthInBlocks(c); x > 0; x--, p += 128, masks += 8, dcs += 2) {
      store<i16>(dcs, load<i16>(p))
      const all = significant(p, 0)
      store<u64>(masks, all)
      withEob += <i32>(all >> 63 == 0)
      for (let al: usize = 1; al < <usize>bits; al++) store<u64>(masks + al * each, all == 0 ? 0 : significant(p, al))
    }
  }
  return withEob
}

@unmanaged class SurveyDc {
  c: i32
  dcs: usize
  wide: i32
  high: i32
  h: i32
  v: i32
  out: usize
}

/**
 * Counts the symbols of DC differences of component `c` in `wide` x `high` MCUs of `h` x `v` blocks into the histogram `out`; blocks
 * that only fill up an MCU repeat the last.
 */
export function surveyDc(given: SurveyDc): void {
  let c = given.c
  let dcs = given.dcs
  let wide = given.wide
  let high = given.high
  let h = given.h
  let v = given.v
  let out = given.out
  memory.fill(out, 0, PAGE)
  let last = 0
  for (let y = 0; y < high; y++) {
    for (let x = 0; x < wide; x++) {
      for (let by = y * v; by < y * v + v; by++) {
        for (let bx = x * h; bx < x * h + h; bx++) {
          if (bx < widthInBlocks(c) && by < heightInBlocks(c)) {
            const value = <i32>load<i16>(dcs + <usize>(by * widthInBlocks(c) + bx) * 2)
            add(out, 32 - clz<i32>(abs(value - last)), 1)
            last = value
          } else add(out, 0, 1)
        }
      }
    }
  }
}

// @ts-ignore: decorator
@inline function add(histogram: usize, symbol: i32, n: i32): void {
  const at = histogram + <usize>symbol * 4
  store<i32>(at, load<i32>(at) + n)
}

// Output of a survey of a band 1..63 with n `cuts`. Pieces lie between neighbouring cuts. Bands are: up to each cut, from each cut on, all.
// At `out`: (n + 1) histograms of the pieces' symbols without ends, as in the whole band; n histograms (i32) to add for the band from each cut
// on, whose first run is shorter; (2n + 1) counts of runs of ends by size, u32[16]; (n + 1) numbers of correction bits, u64.

/** Of each coefficient its piece; of each cut the coefficient before it; of each band its run of ends and bits waiting behind it. */
const PIECE = memory.data(64, 16)
const CUTS = memory.data(16, 16)
const RUNS = memory.data(32 * 4, 16)
const WAITING = memory.data(32 * 4, 16)
let cuts: i32 = 0
let pieces: usize = 0
let shorter: usize = 0
let ends: usize = 0
let corrections: usize = 0
/** Blocks without anything since the last that had something: they lengthen all runs. */
let idle: i32 = 0

function open(at: usize, n: i32, out: usize): void {
  cuts = n
  pieces = out
  shorter = pieces + <usize>(n + 1) * PAGE
  ends = shorter + <usize>n * PAGE
  corrections = ends + <usize>(2 * n + 1) * 64
  memory.fill(out, 0, corrections + <usize>(n + 1) * 8 - out)
  memory.fill(RUNS, 0, 128)
  memory.fill(WAITING, 0, 128)
  memory.copy(CUTS, at, n)
  idle = 0
  let piece = 0
  for (let k = 0; k < 64; k++) {
    store<u8>(PIECE + <usize>k, <u8>piece)
    if (piece < n && <i32>load<u8>(CUTS + <usize>piece) == k) piece++
  }
}

// @ts-ignore: decorator
@inline function cut(j: i32): i32 { return <i32>load<u8>(CUTS + <usize>j) }
// @ts-ignore: decorator
@inline function pieceOf(k: i32): i32 { return <i32>load<u8>(PIECE + <usize>k) }
// @ts-ignore: decorator
@inline function upTo(k: i32): u64 { return ~(<u64>0) >> <u64>(63 - k) }

function endRun(band: i32): void {
  const at = RUNS + <usize>band * 4
  const run = load<i32>(at)
  if (run > 0) add(ends + <usize>band * 64, 31 - clz<i32>(run), 1)
  store<i32>(at, 0)
  store<i32>(WAITING + <usize>band * 4, 0)
}

/** The longest run of ends (T.81 G.1.2.2). */
const longest = 0x7fff
/** libjpeg's decoders take any number of bits behind a run, its encoder at most this many and those of one more block. */
const mostWaiting = 937

function wake(): void {
  for (let band = 0; band < cuts * 2 + 1; band++) {
    const at = RUNS + <usize>band * 4
    let run = load<i32>(at) + idle
    for (; run >= longest; run -= longest) {
      add(ends + <usize>band * 64, 14, 1)
      store<i32>(WAITING + <usize>band * 4, 0)
    }
    store<i32>(at, run)
  }
  idle = 0
}

function close(): void {
  wake()
  for (let band = 0; band < cuts * 2 + 1; band++) endRun(band)
}

/** A block's part in a band: it ends the run when it has something (`some`), and begins or lengthens one unless the band's last is coded. */
// @ts-ignore: decorator
@inline function step(band: i32, some: bool, hasEob: bool): void {
  if (some) endRun(band)
  if (!hasEob) return
  const at = RUNS + <usize>band * 4
  const run = load<i32>(at) + 1
  store<i32>(at, run)
  if (run == longest) endRun(band)
}

@unmanaged class SurveyFirst {
  c: i32
  al: i32
  masks: usize
  at: usize
  n: i32
  out: usize
  counted: usize
}

/**
 * Surveys the scans of component `c` that drop `al` bits; `masks` are those after `al` bits, cuts are u8[n] at `at`. `counted`: the symbols of the
 * whole band (u32[256], those of ends too) where they are known, which spares most of the work; else 0.
 */
export function surveyFirst(given: SurveyFirst): void {
  let c = given.c
  let al = given.al
  let masks = given.masks
  let at = given.at
  let n = given.n
  let out = given.out
  let counted = given.counted
  open(at, n, out)
  for (let y = 0; y < heightInBlocks(c); y++) {
    let p = openRow(c, y)
    for (let x = widthInBlocks(c); x > 0; x--, p += 128, masks += 8) {
      const m = load<u64>(masks)
      if (m == 0) {
        idle++
        continue
      }
      if (idle > 0) wake()
      const open63 = m >> 63 == 0
      for (let j = 0; j < n; j++) {
        const low = upTo(cut(j))
        step(j, (m & low) != 0, ((m >> <u64>cut(j)) & 1) == 0)
        step(n + j, (m & ~low) != 0, open63)
      }
      step(2 * n, true, open63)
      firsts(m, p, al, counted == 0 ? n + 1 : n)
    }
  }
  close()
  if (counted != 0) fillLastPiece(counted)
}

/** The last piece gets the whole band's symbols that are in no other piece. */
function fillLastPiece(counted: usize): void {
  for (let s = 0; s < 256; s++) {
    if ((s & 15) == 0 && s != 0xf0) continue
    const symbol = <usize>s * 4
    let rest = load<i32>(counted + symbol)
    for (let i = 0; i < cuts; i++) rest -= load<i32>(pieces + <usize>i * PAGE + symbol)
    store<i32>(pieces + <usize>cuts * PAGE + symbol, rest)
  }
}

// @ts-ignore: decorator
@inline function addRun(histogram: usize, run: i32, size: i32, n: i32): void {
  if (run > 15) add(histogram, 0xf0, n * (run >> 4))
  add(histogram, ((run & 15) << 4) | size, n)
}

/** The symbols of a block's pieces, up to the first one of piece `last`. */
// @ts-ignore: decorator
@inline function firsts(m: u64, p: usize, al: i32, last: i32): void {
  let prev = 0
  let before = 0
  while (m != 0) {
    const k = <i32>ctz<u64>(m)
    m &= m - 1
    const size = 32 - clz<i32>(abs(<i32>load<i16>(p + <usize>k * 2)) >> al)
    const piece = pieceOf(k)
    addRun(pieces + <usize>piece * PAGE, k - prev - 1, size, 1)
    for (let j = before; j < piece; j++) {
      addRun(shorter + <usize>j * PAGE, k - prev - 1, size, -1)
      addRun(shorter + <usize>j * PAGE, k - cut(j) - 1, size, 1)
    }
    if (piece == last) break
    prev = k
    before = piece
  }
}

/** The same of the scans that add bit `al`; `masks` are those after `al` bits, `older` those after one more. */
export function surveyRefining(c: i32, masks: usize, older: usize, at: usize, n: i32, out: usize): void {
  open(at, n, out)
  for (let i = widthInBlocks(c) * heightInBlocks(c); i > 0; i--, masks += 8, older += 8) {
    const m = load<u64>(masks)
    if (m == 0) {
      idle++
      continue
    }
    if (idle > 0) wake()
    const old = load<u64>(older)
    const fresh = m & ~old
    for (let j = 0; j < n; j++) {
      const low = upTo(cut(j))
      refineBand(j, fresh & low, old & low, cut(j))
      refineBand(n + j, fresh & ~low, old & ~low, 63)
    }
    refineBand(2 * n, fresh, old, 63)
    let rest = old
    for (let j = 0; j <= n; j++) {
      const high = j < n ? upTo(cut(j)) : ~(<u64>0)
      const bits = corrections + <usize>j * 8
      store<u64>(bits, load<u64>(bits) + popcnt<u64>(rest & high))
      rest &= ~high
    }
    if (fresh != 0) refinements(fresh, m)
  }
  close()
}

// @ts-ignore: decorator
@inline function refineBand(band: i32, fresh: u64, old: u64, last: i32): void {
  if (fresh != 0) {
    endRun(band)
    const k = 63 - <i32>clz<u64>(fresh)
    if (k == last) return
    old &= ~upTo(k)
  }
  const at = RUNS + <usize>band * 4
  const run = load<i32>(at) + 1
  store<i32>(at, run)
  const waiting = load<i32>(WAITING + <usize>band * 4) + <i32>popcnt<u64>(old)
  store<i32>(WAITING + <usize>band * 4, waiting)
  if (run == longest || waiting > mostWaiting) endRun(band)
}

// @ts-ignore: decorator
@inline function refinements(fresh: u64, m: u64): void {
  let prev = 0
  let before = 0
  while (fresh != 0) {
    const k = <i32>ctz<u64>(fresh)
    fresh &= fresh - 1
    const piece = pieceOf(k)
    const zeros = ~m & upTo(k)
    const run = <i32>popcnt<u64>(zeros & ~upTo(prev))
    addRun(pieces + <usize>piece * PAGE, run, 1, 1)
    for (let j = before; j < piece; j++) {
      addRun(shorter + <usize>j * PAGE, run, 1, -1)
      addRun(shorter + <usize>j * PAGE, <i32>popcnt<u64>(zeros & ~upTo(cut(j))), 1, 1)
    }
    prev = k
    before = piece
  }
}
