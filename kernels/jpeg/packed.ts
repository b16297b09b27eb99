// Rows of blocks in the bytes that their coefficients need: 48 megapixels have 144 MB of coefficients at 4:2:0, most of them zero.
// A block is a u64 whose bit k is set when coefficient k is not zero, and these coefficients, i16.
import { coefsOf, packedOf, strideOf, vOf, widthInBlocks } from './components'
import { significant } from './write-scan'

/** Packs row `y` of component `c` at `to`, which takes up to 136 bytes a block. Returns the end. */
export function packRow(c: i32, y: i32, to: usize): usize {
  let p = coefsOf(c) + <usize>(y * strideOf(c)) * 128
  for (let x = widthInBlocks(c); x > 0; x--, p += 128) {
    let mask = significant(p, 0)
    store<u64>(to, mask)
    to += 8
    for (; mask != 0; mask &= mask - 1, to += 2) store<i16>(to, load<i16>(p + <usize>ctz<u64>(mask) * 2))
  }
  return to
}

/** Unpacks a row of `wide` blocks at `from` to `to`. `marks` (0: none) receives the marks of the row; every block counts as changed. */
export function unpackRow(from: usize, wide: i32, to: usize, marks: usize): void {
  memory.fill(to, 0, <usize>wide * 128)
  for (; wide > 0; wide--, to += 128) {
    let mask = load<u64>(from)
    from += 8
    if (marks != 0) {
      store<u64>(marks, mask | 1)
      marks += 8
    }
    for (; mask != 0; mask &= mask - 1, from += 2) store<i16>(to + <usize>ctz<u64>(mask) * 2, load<i16>(from))
  }
}

/** The blocks of row `y` of component `c`, in memory until another row takes their place. */
// @ts-ignore: decorator
@inline export function rowOf(c: i32, y: i32): usize {
  const row = packedOf(c) == 0 ? y : y % vOf(c)
  return coefsOf(c) + <usize>(row * strideOf(c)) * 128
}

/** The same, unpacked first where the row is packed. */
export function openRow(c: i32, y: i32): usize {
  const packed = packedOf(c)
  const row = rowOf(c, y)
  if (packed != 0) unpackRow(<usize>load<u32>(packed + <usize>y * 4), widthInBlocks(c), row, 0)
  return row
}
