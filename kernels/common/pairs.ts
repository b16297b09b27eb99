/**
 * Loops of eight lanes, as two vectors side by side. V8 (`--experimental-wasm-revectorize`) joins both into one of 256 bits. Both must result
 * from the same operations in the same order, and be loaded at literal offsets of one address that differ by 16. Elsewhere they stay two.
 * A function that takes `k` works on one of them: it is called with the literals 0 and 16. One loop that cannot be joined may keep V8 from
 * joining others of its function.
 */

/** Stores two vectors side by side. The upper one goes first: in this order alone V8 counts their joining as a saving. */
@inline
export function storePair(to: usize, lower: v128, upper: v128): void {
  v128.store(to, upper, 16)
  v128.store(to, lower)
}

/**
 * One of the two vectors `offset` bytes right of `at`, for filters along a row; `other` lies 16 bytes left of `at`. By one address the upper of a
 * pair could be the lower of the next, which V8 does not join: so every second 16 bytes are loaded by the other one.
 */
@inline
export function loadAlong(at: usize, other: usize, offset: usize, k: usize): v128 {
  return offset & 16 ? v128.load(other + (offset + 16 + k)) : v128.load(at + (offset + k))
}
