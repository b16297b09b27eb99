// Deflate's alphabets (RFC 1951): 286 literals and lengths, 30 distances, and what is counted of them.

export const LITERALS: i32 = 286
export const DISTANCES: i32 = 30
/** Counts of both alphabets lie behind each other. */
export const SYMBOLS: i32 = LITERALS + DISTANCES
export const END: i32 = 256
export const SHORTEST: i32 = 3
export const LONGEST: i32 = 258

/** By length 3..258: its symbol less 257. */
const LENGTH_SLOTS = memory.data(260)
/** By distance 1..256, then by (distance - 1) >> 7: its symbol. */
const DISTANCE_SLOTS = memory.data(512)
/** By slot: the shortest length, the nearest distance, and the raw bits behind their symbols; u16, u16, u8, u8. */
const LENGTH_BASES = memory.data(29 * 2, 16)
const DISTANCE_BASES = memory.data(30 * 2, 16)
const LENGTH_BITS = memory.data(29)
const DISTANCE_BITS = memory.data(30)

/** Fills the tables; once for an instance. */
export function fillTables(): void {
  let base = SHORTEST
  for (let slot = 0; slot < 28; slot++) {
    const bits = slot < 8 ? 0 : (slot >> 2) - 1
    store<u16>(LENGTH_BASES + <usize>slot * 2, <u16>base)
    store<u8>(LENGTH_BITS + slot, <u8>bits)
    for (let i = 0; i < 1 << bits; i++) store<u8>(LENGTH_SLOTS + <usize>(base + i), <u8>slot)
    base += 1 << bits
  }
  store<u16>(LENGTH_BASES + 28 * 2, LONGEST)
  store<u8>(LENGTH_BITS + 28, 0)
  store<u8>(LENGTH_SLOTS + LONGEST, 28)
  let far = 1
  for (let slot = 0; slot < DISTANCES; slot++) {
    const bits = slot < 4 ? 0 : (slot >> 1) - 1
    store<u16>(DISTANCE_BASES + <usize>slot * 2, <u16>far)
    store<u8>(DISTANCE_BITS + slot, <u8>bits)
    if (far <= 256) for (let i = 0; i < 1 << bits; i++) store<u8>(DISTANCE_SLOTS + <usize>(far + i - 1), <u8>slot)
    else for (let i = 0; i < 1 << (bits - 7); i++) store<u8>(DISTANCE_SLOTS + 256 + <usize>(((far - 1) >> 7) + i), <u8>slot)
    far += 1 << bits
  }
}

// @ts-ignore: decorator
@inline export function lengthSlot(length: i32): i32 { return load<u8>(LENGTH_SLOTS + <usize>length) }
// @ts-ignore: decorator
@inline export function distanceSlot(distance: i32): i32 {
  return <i32>load<u8>(DISTANCE_SLOTS + (distance <= 256 ? <usize>(distance - 1) : <usize>(256 + ((distance - 1) >> 7))))
}
// @ts-ignore: decorator
@inline export function lengthBits(slot: i32): i32 { return load<u8>(LENGTH_BITS + slot) }
// @ts-ignore: decorator
@inline export function distanceBits(slot: i32): i32 { return load<u8>(DISTANCE_BITS + slot) }
// @ts-ignore: decorator
@inline export function lengthBase(slot: i32): i32 { return load<u16>(LENGTH_BASES + <usize>slot * 2) }
// @ts-ignore: decorator
@inline export function distanceBase(slot: i32): i32 { return load<u16>(DISTANCE_BASES + <usize>slot * 2) }
