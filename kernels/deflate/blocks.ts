// Splits the parse into blocks: neighbouring chunks are joined while that lowers the bits of codes and headers.
import { LITERALS, SYMBOLS } from './symbols'
import { COUNTS, choiceAt, countChoice, stepOf } from './parse'

const CHUNKS: i32 = 24
/** Symbols of a chunk at least. */
const LEAST: u32 = 600
/** Bits of a block's header: without codes, and for each symbol that is used. */
const HEADER: f64 = 90
const HEADER_SYMBOL: f64 = 3

/** Counts of all symbols up to the start of each chunk, u32; where each begins; the fewest bits up to there, and where the block before begins. */
const SUMS = memory.data((CHUNKS + 1) * SYMBOLS * 4, 16)
const STARTS = memory.data((CHUNKS + 1) * 4, 16)
const BITS = memory.data((CHUNKS + 1) * 8, 16)
const BEFORE = memory.data((CHUNKS + 1) * 4, 16)
/** The blocks' ends, first to last. */
const ENDS = memory.data((CHUNKS + 1) * 4, 16)

function sumAt(chunk: i32): usize { return SUMS + <usize>(chunk * SYMBOLS) * 4 }

function itemsIn(base: u32, from: u32, to: u32): u32 {
  let items: u32 = 0
  for (let at = from; at < to; items++) at += stepOf(choiceAt(base, at))
  return items
}

function bitsBetween(one: i32, other: i32, first: i32, last: i32): f64 {
  let total: f64 = 0
  let bits: f64 = 0
  for (let i = first; i < last; i++) {
    const count = load<u32>(sumAt(other) + <usize>i * 4) - load<u32>(sumAt(one) + <usize>i * 4)
    if (count == 0) continue
    total += count
    bits += HEADER_SYMBOL - <f64>count * Math.log2(<f64>count)
  }
  return total == 0 ? 0 : bits + total * Math.log2(total)
}

/** Divides the way through positions `from`..`to` into blocks; gives how many. */
export function divideIntoBlocks(from: u32, to: u32): i32 {
  const items = itemsIn(from, from, to)
  const chunks = <i32>max<u32>(1, min<u32>(CHUNKS, items / LEAST))
  memory.fill(COUNTS, 0, SYMBOLS * 4)
  let item: u32 = 0
  let chunk = 0
  for (let at = from; at < to; item++) {
    if (item == <u32>((<u64>items * chunk) / chunks)) {
      memory.copy(sumAt(chunk), COUNTS, SYMBOLS * 4)
      store<u32>(STARTS + <usize>chunk * 4, at)
      chunk++
    }
    const choice = choiceAt(from, at)
    countChoice(choice, at)
    at += stepOf(choice)
  }
  memory.copy(sumAt(chunks), COUNTS, SYMBOLS * 4)
  store<u32>(STARTS + <usize>chunks * 4, to)
  store<f64>(BITS, 0)
  for (let other = 1; other <= chunks; other++) {
    let least = Infinity
    for (let one = 0; one < other; one++) {
      const bits = load<f64>(BITS + <usize>one * 8) + HEADER + bitsBetween(one, other, 0, LITERALS) + bitsBetween(one, other, LITERALS, SYMBOLS)
      if (bits >= least) continue
      least = bits
      store<f64>(BITS + <usize>other * 8, bits)
      store<i32>(BEFORE + <usize>other * 4, one)
    }
  }
  let blocks = 0
  for (let at = chunks; at > 0; at = load<i32>(BEFORE + <usize>at * 4)) blocks++
  let block = blocks
  for (let at = chunks; at > 0; at = load<i32>(BEFORE + <usize>at * 4)) {
    block--
    store<u32>(ENDS + <usize>block * 4, load<u32>(STARTS + <usize>at * 4))
  }
  return blocks
}

export function blockEnd(block: i32): u32 { return load<u32>(ENDS + <usize>block * 4) }
