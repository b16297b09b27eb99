// The image's components. Coefficients are i16, 64 to a block in ZIGZAG order (scans walk them straight),
// blocks in rows of `stride`, which is padded to whole MCUs.

const RECORD: usize = 32
const RECORDS = memory.data(4 * 32, 16)

@unmanaged class Component {
  c: i32
  coefs: usize
  stride: i32
  wide: i32
  high: i32
  h: i32
  v: i32
  marks: usize
  packed: usize
}

/**
 * Describes component `c` (0..3): coefficients at `coefs`, `stride` blocks a row of which `wide` show, `high` rows, sampling h x v.
 * `marks` (0: none) holds a u64 for each block that shows. Bit k is set when AC coefficient k is not zero.
 * Bit 0 is set when the block's coefficients changed since it was last decoded.
 * `packed` (0: none) holds the address (u32) of each row of blocks that shows, as `packRow` left it. `coefs` then has `v` rows: those that `openRow` unpacked last.
 */
export function component(given: Component): void {
  let c = given.c
  let coefs = given.coefs
  let stride = given.stride
  let wide = given.wide
  let high = given.high
  let h = given.h
  let v = given.v
  let marks = given.marks
  let packed = given.packed
  const at = RECORDS + <usize>c * RECORD
  store<u32>(at, <u32>coefs)
  store<i32>(at, stride, 4)
  store<i32>(at, wide, 8)
  store<i32>(at, high, 12)
  store<i32>(at, h, 16)
  store<i32>(at, v, 20)
  store<u32>(at, <u32>marks, 24)
  store<u32>(at, <u32>packed, 28)
}

// @ts-ignore: decorator
@inline export function coefsOf(c: i32): usize { return <usize>load<u32>(RECORDS + <usize>c * RECORD) }
// @ts-ignore: decorator
@inline export function strideOf(c: i32): i32 { return load<i32>(RECORDS + <usize>c * RECORD, 4) }
// @ts-ignore: decorator
@inline export function widthInBlocks(c: i32): i32 { return load<i32>(RECORDS + <usize>c * RECORD, 8) }
// @ts-ignore: decorator
@inline export function heightInBlocks(c: i32): i32 { return load<i32>(RECORDS + <usize>c * RECORD, 12) }
// @ts-ignore: decorator
@inline export function hOf(c: i32): i32 { return load<i32>(RECORDS + <usize>c * RECORD, 16) }
// @ts-ignore: decorator
@inline export function vOf(c: i32): i32 { return load<i32>(RECORDS + <usize>c * RECORD, 20) }

// @ts-ignore: decorator
@inline export function marksOf(c: i32): usize { return <usize>load<u32>(RECORDS + <usize>c * RECORD, 24) }
/** Where the packed rows are; 0 where all rows are held as they are. */
// @ts-ignore: decorator
@inline export function packedOf(c: i32): usize { return <usize>load<u32>(RECORDS + <usize>c * RECORD, 28) }
/** Marks a block as changed where it `isOne`. */
// @ts-ignore: decorator
@inline export function markChange(marks: usize, isOne: bool): void { store<u8>(marks, load<u8>(marks) | <u8>isOne) }

// The scan at work: up to four components, each with its entropy tables.
const SCAN = memory.data(4 * 12, 16)
export let scanSize: i32 = 0
export let mcusWide: i32 = 0
export let mcusHigh: i32 = 0

/** Starts describing a scan of `n` components in `wide` x `high` MCUs (for one component: its own blocks). */
export function scan(n: i32, wide: i32, high: i32): void {
  scanSize = n
  mcusWide = wide
  mcusHigh = high
}

/** Names the i-th component of the scan and its table slots (0..3 each). */
export function scanComponent(i: i32, c: i32, dc: i32, ac: i32): void {
  const at = SCAN + <usize>i * 12
  store<i32>(at, c)
  store<i32>(at, dc, 4)
  store<i32>(at, ac, 8)
}

// @ts-ignore: decorator
@inline export function scanOf(i: i32): i32 { return load<i32>(SCAN + <usize>i * 12) }
// @ts-ignore: decorator
@inline export function dcOf(i: i32): i32 { return load<i32>(SCAN + <usize>i * 12, 4) }
// @ts-ignore: decorator
@inline export function acOf(i: i32): i32 { return load<i32>(SCAN + <usize>i * 12, 8) }
