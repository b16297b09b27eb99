// The cheapest way through a block under given costs, and the costs that follow from the way taken.
import {
  DISTANCES, END, LITERALS, LONGEST, SHORTEST, SYMBOLS, distanceBits, distanceSlot, lengthBits, lengthSlot,
} from './symbols'
import { choices, costs, input, matches, offsets } from './layout'

/** Units of cost in a bit. */
const UNIT: f64 = 128

/** How often each symbol came, u32. */
export const COUNTS = memory.data(SYMBOLS * 4, 16)
const LITERAL_COSTS = memory.data(256 * 4, 16)
const LENGTH_COSTS = memory.data((LONGEST + 1) * 4, 16)
const DISTANCE_COSTS = memory.data(DISTANCES * 4, 16)

// @ts-ignore: decorator
@inline export function countOf(symbol: i32): u32 { return load<u32>(COUNTS + <usize>symbol * 4) }
// @ts-ignore: decorator
@inline function add(symbol: i32): void {
  store<u32>(COUNTS + <usize>symbol * 4, countOf(symbol) + 1)
}

/** Bits of a symbol by how often it came; none takes less than one. */
// @ts-ignore: decorator
@inline function bitsOf(count: u32, logTotal: f64): f64 {
  return max(1, count == 0 ? logTotal + 1 : logTotal - Math.log2(<f64>count))
}

/** Sets the costs of the first round: literals by the counts of bytes in positions `from`..`to`, matches by usual costs. */
export function usualCosts(from: u32, to: u32): void {
  memory.fill(COUNTS, 0, SYMBOLS * 4)
  for (let at = from; at < to; at++) add(load<u8>(input + at))
  const total = Math.log2(<f64>(to - from + 1))
  for (let i = 0; i < 256; i++) store<u32>(LITERAL_COSTS + <usize>i * 4, <u32>(bitsOf(countOf(i), total) * UNIT))
  for (let length = SHORTEST; length <= LONGEST; length++)
    store<u32>(LENGTH_COSTS + <usize>length * 4, <u32>((6 + lengthBits(lengthSlot(length))) * UNIT))
  for (let slot = 0; slot < DISTANCES; slot++) store<u32>(DISTANCE_COSTS + <usize>slot * 4, <u32>((4 + distanceBits(slot)) * UNIT))
}

/** Sets the costs of the next round by the counts of the previous one. */
export function costsFromCounts(): void {
  let literals: u32 = 0
  let distances: u32 = 0
  for (let i = 0; i < LITERALS; i++) literals += countOf(i)
  for (let i = LITERALS; i < SYMBOLS; i++) distances += countOf(i)
  const total = Math.log2(<f64>literals)
  const far = Math.log2(<f64>max(1, distances))
  for (let i = 0; i < 256; i++) store<u32>(LITERAL_COSTS + <usize>i * 4, <u32>(bitsOf(countOf(i), total) * UNIT))
  for (let slot = 0; slot < 29; slot++) {
    const bits = <u32>((bitsOf(countOf(257 + slot), total) + lengthBits(slot)) * UNIT)
    for (let length = SHORTEST; length <= LONGEST; length++)
      if (lengthSlot(length) == slot) store<u32>(LENGTH_COSTS + <usize>length * 4, bits)
  }
  for (let slot = 0; slot < DISTANCES; slot++)
    store<u32>(DISTANCE_COSTS + <usize>slot * 4, <u32>((bitsOf(countOf(LITERALS + slot), far) + distanceBits(slot)) * UNIT))
}

/** Chooses the cheapest way from position `from` to `to`; positions count from the stretch's first, `base`. */
export function chooseCheapest(base: u32, from: u32, to: u32): void {
  store<u32>(costs + <usize>(to - base) * 4, 0)
  for (let at = to; at > from; ) {
    at--
    const place = <usize>(at - base) * 4
    let least = load<u32>(LITERAL_COSTS + <usize>load<u8>(input + at) * 4) + load<u32>(costs + place, 4)
    let choice: u32 = 0
    let match = matches + <usize>load<u32>(offsets + place) * 4
    const last = matches + <usize>load<u32>(offsets + place, 4) * 4
    const room = to - at
    let length: u32 = SHORTEST
    for (; match < last; match += 4) {
      const found = load<u32>(match)
      const distance = found & 0xffff
      const far = load<u32>(DISTANCE_COSTS + <usize>distanceSlot(distance) * 4)
      const most = min(found >> 16, room)
      for (; length <= most; length++) {
        const cost = far + load<u32>(LENGTH_COSTS + <usize>length * 4) + load<u32>(costs + place + <usize>length * 4)
        if (cost < least) {
          least = cost
          choice = (length << 16) | distance
        }
      }
    }
    store<u32>(costs + place, least)
    store<u32>(choices + place, choice)
  }
}

// @ts-ignore: decorator
@inline export function choiceAt(base: u32, at: u32): u32 { return load<u32>(choices + <usize>(at - base) * 4) }
// @ts-ignore: decorator
@inline export function stepOf(choice: u32): u32 { return choice == 0 ? 1 : choice >> 16 }

/** Counts what one choice writes. */
export function countChoice(choice: u32, at: u32): void {
  if (choice == 0) return add(load<u8>(input + at))
  add(257 + lengthSlot(choice >> 16))
  add(LITERALS + distanceSlot(choice & 0xffff))
}

/** Counts the symbols of the way through positions `from`..`to`, with the block's end. */
export function countSymbols(base: u32, from: u32, to: u32): void {
  memory.fill(COUNTS, 0, SYMBOLS * 4)
  for (let at = from; at < to; ) {
    const choice = choiceAt(base, at)
    countChoice(choice, at)
    at += stepOf(choice)
  }
  add(END)
}
