// Reading entropy-coded bits (T.81 F.2.2.5). Nothing is read at or past `limit`; past the data's end zero bits are
// fed and counted, so that `exhausted` is exact.

let at: usize = 0
let limit: usize = 0
let acc: u64 = 0
let have: i32 = 0
let padded: i32 = 0

/** Points the reader at the bytes from `from` up to, not including, `to`. */
export function openBits(from: usize, to: usize): void {
  at = from
  limit = to
  dropBits()
}

/** Forgets the bits fetched so far: what a restart marker asks for. */
export function dropBits(): void {
  acc = 0
  have = 0
  padded = 0
}

// @ts-ignore: decorator
@inline export function bitsAt(): usize { return at }
// @ts-ignore: decorator
@inline export function moveBits(to: usize): void { at = to }
// @ts-ignore: decorator
@inline export function bitsLimit(): usize { return limit }
/** True once more bits were consumed than the data held. */
// @ts-ignore: decorator
@inline export function exhausted(): bool { return have < padded }

function refill(): void {
  if (have <= 32 && at + 4 <= limit) {
    const w = load<u32>(at)
    if (((~w - 0x01010101) & w & 0x80808080) == 0) {
      acc = (acc << 32) | <u64>bswap<u32>(w)
      have += 32
      at += 4
      return
    }
  }
  while (have <= 48) {
    let byte: u32 = 0
    if (at < limit) {
      byte = load<u8>(at)
      if (byte != 0xff) at++
      else if (at + 1 < limit && load<u8>(at, 1) == 0) at += 2
      else {
        byte = 0
        padded += 8
      }
    } else padded += 8
    acc = (acc << 8) | <u64>byte
    have += 8
  }
}

/** Makes sure that 32 bits stand ready. */
// @ts-ignore: decorator
@inline export function need32(): void { if (have < 32) refill() }

// @ts-ignore: decorator
@inline export function peek(n: i32): u32 { return <u32>(acc >> <u64>(have - n)) & ((1 << n) - 1) }
// @ts-ignore: decorator
@inline export function skip(n: i32): void { have -= n }
/** The next `n` (0..16) bits; the caller has called need32. */
// @ts-ignore: decorator
@inline export function take(n: i32): i32 {
  have -= n
  return <i32>(acc >> <u64>have) & ((1 << n) - 1)
}

/** One bit, fetching when none is ready. */
// @ts-ignore: decorator
@inline export function bit(): i32 {
  if (have < 1) refill()
  have--
  return <i32>(acc >> <u64>have) & 1
}

/** The value that `n` bits code for (T.81 F.2.2.1 EXTEND). */
// @ts-ignore: decorator
@inline export function extended(n: i32): i32 {
  const v = take(n)
  return v < (1 << (n - 1)) ? v - (1 << n) + 1 : v
}
