// Writes codes of up to 16 bits one after the other, the lowest bits first, as deflate and GIF have them.

let out: usize = 0
let held: u32 = 0
let waiting: u32 = 0

export function openOutput(at: usize): void {
  out = at
  held = 0
  waiting = 0
}

// @ts-ignore: decorator
@inline export function put(code: u32, bits: u32): void {
  held |= code << waiting
  waiting += bits
  while (waiting >= 8) {
    store<u8>(out++, <u8>held)
    held >>= 8
    waiting -= 8
  }
}

/** Fills up the last byte; gives the address behind it. */
export function closeOutput(): usize {
  if (waiting > 0) put(0, 8 - waiting)
  return out
}
