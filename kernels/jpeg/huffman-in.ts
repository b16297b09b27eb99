// Huffman tables for reading: nine bits at once where the code is that short, else by length (T.81 F.2.2.3).
import { peek, skip } from './bits-in'

const LOOK: i32 = 9
const SIZE: usize = 1024 + 80 + 80 + 256
const TABLES = memory.data(8 * 1440, 16)
const MAXIMA: usize = 1024
const OFFSETS: usize = 1104
const SYMBOLS: usize = 1184

/** A place to put the 16 counts and up to 256 symbols that `setTable` reads. */
const INBOX = memory.data(272, 16)
export function tableInbox(): usize { return INBOX }

// @ts-ignore: decorator
@inline export function tableAt(kind: i32, id: i32): usize { return TABLES + <usize>(kind * 4 + id) * SIZE }

/** Builds table `id` (0..3) of `kind` (0 DC, 1 AC) from the inbox; false when the counts are no prefix code. */
export function setTable(kind: i32, id: i32): bool {
  const t = tableAt(kind, id)
  memory.fill(t, 0, SIZE)
  let code: i32 = 0
  let n: i32 = 0
  for (let len = 1; len <= 16; len++) {
    const count = <i32>load<u8>(INBOX + <usize>(len - 1))
    store<i32>(t + OFFSETS + <usize>len * 4, n - code)
    for (let i = 0; i < count; i++) {
      if (n > 255) return false
      const symbol = load<u8>(INBOX + 16 + <usize>n)
      store<u8>(t + SYMBOLS + <usize>n, symbol)
      if (len <= LOOK && code < 1 << len) {
        const first = code << (LOOK - len)
        for (let j = 0; j < 1 << (LOOK - len); j++) {
          store<u16>(t + <usize>(first + j) * 2, <u16>((len << 8) | <i32>symbol))
        }
      }
      code++
      n++
    }
    if (code > 1 << len) return false
    store<i32>(t + MAXIMA + <usize>len * 4, count > 0 ? code - 1 : -1)
    code <<= 1
  }
  return true
}

/** The next symbol, or -1 when no code matches; needs 16 bits ready. */
// @ts-ignore: decorator
@inline export function symbol(t: usize): i32 {
  const entry = <i32>load<u16>(t + <usize>peek(LOOK) * 2)
  if (entry != 0) {
    skip(entry >> 8)
    return entry & 255
  }
  return longSymbol(t)
}

function longSymbol(t: usize): i32 {
  for (let len = LOOK + 1; len <= 16; len++) {
    const code = <i32>peek(len)
    if (code <= load<i32>(t + MAXIMA + <usize>len * 4)) {
      const index = code + load<i32>(t + OFFSETS + <usize>len * 4)
      if (index < 0 || index > 255) return -1
      skip(len)
      return <i32>load<u8>(t + SYMBOLS + <usize>index)
    }
  }
  return -1
}
