// Interleaved 8-bit samples to rows of red, green and blue. Swizzle masks come from memory: V8 rebuilds those of a shuffle each time.

/** Of each third (rows) of 48 bytes, where red's, green's and blue's sixteen samples come from; 128 gives zero. */
const THIRDS: usize = memory.data<u8>([
  0, 3, 6, 9, 12, 15, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
  1, 4, 7, 10, 13, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
  2, 5, 8, 11, 14, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
  128, 128, 128, 128, 128, 128, 2, 5, 8, 11, 14, 128, 128, 128, 128, 128,
  128, 128, 128, 128, 128, 0, 3, 6, 9, 12, 15, 128, 128, 128, 128, 128,
  128, 128, 128, 128, 128, 1, 4, 7, 10, 13, 128, 128, 128, 128, 128, 128,
  128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 1, 4, 7, 10, 13,
  128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 2, 5, 8, 11, 14,
  128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0, 3, 6, 9, 12, 15,
], 16)

// @ts-ignore: decorator
@inline function pick(a: v128, b: v128, c: v128, primary: i32): v128 {
  const at = THIRDS + <usize>primary * 16
  const ab = v128.or(i8x16.swizzle(a, v128.load(at)), i8x16.swizzle(b, v128.load(at, 48)))
  return v128.or(ab, i8x16.swizzle(c, v128.load(at, 96)))
}

function sixteens(from: usize, width: i32, to: usize, step: usize): i32 {
  let x = 0
  for (; x + 16 <= width; x += 16, from += 48, to += 16) {
    const a = v128.load(from)
    const b = v128.load(from, 16)
    const c = v128.load(from, 32)
    v128.store(to, pick(a, b, c, 0))
    v128.store(to + step, pick(a, b, c, 1))
    v128.store(to + 2 * step, pick(a, b, c, 2))
  }
  return x
}

// @ts-ignore: decorator
@inline function repeat(row: usize, width: i32, padded: usize): void {
  memory.fill(row + <usize>width, load<u8>(row + <usize>(width - 1)), padded - <usize>width)
}

/**
 * Splits a row of `width` pixels of `channels` bytes into rows of red, green and blue at `to`. Each row has `padded` bytes, its last sample
 * repeated. Fewer than three channels are grey and fill the first row only.
 */
export function splitRow(from: usize, channels: i32, width: i32, to: usize, padded: usize): void {
  let x = channels == 3 ? sixteens(from, width, to, padded) : 0
  let p = from + <usize>(x * channels)
  const colour = channels > 2
  for (; x < width; x++, p += channels) {
    const at = to + <usize>x
    store<u8>(at, load<u8>(p))
    if (colour) {
      store<u8>(at + padded, load<u8>(p, 1))
      store<u8>(at + 2 * padded, load<u8>(p, 2))
    }
  }
  repeat(to, width, padded)
  if (colour) {
    repeat(to + padded, width, padded)
    repeat(to + 2 * padded, width, padded)
  }
}
