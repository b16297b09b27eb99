// Writes one block: the header with its codes' lengths, then the way through it.
import { put } from '../common/bit-writer'
import { DISTANCES, END, LITERALS, distanceBase, distanceBits, distanceSlot, lengthBase, lengthBits, lengthSlot } from './symbols'
import { input } from './layout'
import { codeLengths, codesOf } from './huffman'
import { COUNTS, choiceAt, countOf, stepOf } from './parse'

const LENGTHS = memory.data(LITERALS + DISTANCES + 16, 16)
const CODES = memory.data((LITERALS + 2 + DISTANCES) * 4, 16)
/** Lengths of codes as runs: symbol 0..18 and the raw bits behind it, u8 each. */
const RUNS = memory.data((LITERALS + DISTANCES) * 2, 16)
const RUN_COUNTS = memory.data(19 * 4, 16)
const RUN_LENGTHS = memory.data(32, 16)
const RUN_CODES = memory.data(19 * 4, 16)
/** The order in which the lengths of the runs' codes are written (RFC 1951 §3.2.7). */
const RUN_ORDER = memory.data<u8>([16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15])

function lastUsed(lengths: usize, symbols: i32, least: i32): i32 {
  let last = symbols
  while (last > least && load<u8>(lengths + last - 1) == 0) last--
  return last
}

/** Lengths in runs: 16 repeats the one before, 17 and 18 are zeros. Gives how many runs. */
function findRuns(lengths: usize, count: i32): i32 {
  let runs = 0
  let at = 0
  while (at < count) {
    const length = load<u8>(lengths + at)
    let same = 1
    while (at + same < count && load<u8>(lengths + at + same) == length) same++
    at += same
    if (length == 0) {
      for (; same >= 11; same -= min(same, 138)) runs = addRun(runs, 18, min(same, 138) - 11)
      if (same >= 3) {
        runs = addRun(runs, 17, same - 3)
        same = 0
      }
    } else {
      runs = addRun(runs, length, 0)
      same--
      // Seven are four and three, never six and one.
      for (; same >= 3; ) {
        const part = same == 7 || same == 8 ? 4 : min(same, 6)
        runs = addRun(runs, 16, part - 3)
        same -= part
      }
    }
    for (; same > 0; same--) runs = addRun(runs, length, 0)
  }
  return runs
}

function addRun(runs: i32, symbol: i32, extra: i32): i32 {
  store<u8>(RUNS + <usize>runs * 2, <u8>symbol)
  store<u8>(RUNS + <usize>runs * 2, <u8>extra, 1)
  const at = RUN_COUNTS + <usize>symbol * 4
  store<u32>(at, load<u32>(at) + 1)
  return runs + 1
}

function writeHeader(literals: i32, distances: i32): void {
  memory.fill(RUN_COUNTS, 0, 19 * 4)
  // Both alphabets' lengths are written as one list.
  memory.copy(LENGTHS + literals, LENGTHS + LITERALS, distances)
  const runs = findRuns(LENGTHS, literals + distances)
  codeLengths(RUN_COUNTS, 19, 7, RUN_LENGTHS)
  codesOf(RUN_LENGTHS, 19, RUN_CODES)
  let told = 19
  while (told > 4 && load<u8>(RUN_LENGTHS + load<u8>(RUN_ORDER + told - 1)) == 0) told--
  put(literals - 257, 5)
  put(distances - 1, 5)
  put(told - 4, 4)
  for (let i = 0; i < told; i++) put(load<u8>(RUN_LENGTHS + load<u8>(RUN_ORDER + i)), 3)
  for (let i = 0; i < runs; i++) {
    const symbol = load<u8>(RUNS + <usize>i * 2)
    put(load<u32>(RUN_CODES + <usize>symbol * 4), load<u8>(RUN_LENGTHS + symbol))
    if (symbol >= 16) put(load<u8>(RUNS + <usize>i * 2, 1), symbol == 16 ? 2 : symbol == 17 ? 3 : 7)
  }
}

// @ts-ignore: decorator
@inline function putSymbol(lengths: usize, codes: usize, symbol: i32): void {
  put(load<u32>(codes + <usize>symbol * 4), load<u8>(lengths + symbol))
}

/** Writes positions `from`..`to` as one block with codes of its own; its symbols were counted. */
export function writeBlock(base: u32, from: u32, to: u32, isLast: bool): void {
  const far = LENGTHS + LITERALS
  const farCodes = CODES + <usize>LITERALS * 4
  codeLengths(COUNTS, LITERALS, 15, LENGTHS)
  codeLengths(COUNTS + <usize>LITERALS * 4, DISTANCES, 15, far)
  codesOf(LENGTHS, LITERALS, CODES)
  codesOf(far, DISTANCES, farCodes)
  const literals = lastUsed(LENGTHS, LITERALS, 257)
  const distances = lastUsed(far, DISTANCES, 1)
  put(isLast ? 1 : 0, 1)
  put(2, 2)
  writeHeader(literals, distances)
  // The header was made in place of the lengths.
  codeLengths(COUNTS, LITERALS, 15, LENGTHS)
  codeLengths(COUNTS + <usize>LITERALS * 4, DISTANCES, 15, far)
  for (let at = from; at < to; ) {
    const choice = choiceAt(base, at)
    if (choice == 0) putSymbol(LENGTHS, CODES, load<u8>(input + at))
    else {
      const length = <i32>(choice >> 16)
      const slot = lengthSlot(length)
      putSymbol(LENGTHS, CODES, 257 + slot)
      put(length - lengthBase(slot), lengthBits(slot))
      const distance = <i32>(choice & 0xffff)
      const place = distanceSlot(distance)
      putSymbol(far, farCodes, place)
      put(distance - distanceBase(place), distanceBits(place))
    }
    at += stepOf(choice)
  }
  putSymbol(LENGTHS, CODES, END)
}
