// The strings that a decoder of GIF's LZW knows, as a tree: each is another with one symbol more.
import { MAX_CODES } from './layout'

const MAX_CODE_BITS: u32 = 12
/** By code: its first continuation, the next continuation of what it continues (0 for none), its last symbol, and symbols that longer ones have at most beyond it; u16 each. */
const NODES = memory.data(4096 * 8, 16)
/** By code: what it continues (0 for none), and its first symbol; u16 each. */
const ROOTS = memory.data(4096 * 4, 16)

/** Makes the decoder forget all strings but single symbols; the code after it ends the image. */
export let clearCode: u32 = 0
/** Bits of the next code. */
export let codeBits: u32 = 0
let codeSize: u32 = 0
/** The code written last and the one that the decoder learns with the next; 0 for none, which both never are for that. */
let latest: u32 = 0
let hasLatest = false
let expected: u32 = 0
let following: u32 = 0

// @ts-ignore: decorator
@inline function node(code: u32): usize { return NODES + (<usize>code << 3) }
// @ts-ignore: decorator
@inline export function childOf(code: u32): u32 { return load<u16>(node(code)) }
// @ts-ignore: decorator
@inline export function siblingOf(code: u32): u32 { return load<u16>(node(code), 2) }
// @ts-ignore: decorator
@inline export function lastOf(code: u32): u32 { return load<u16>(node(code), 4) }
// @ts-ignore: decorator
@inline export function heightOf(code: u32): u32 { return load<u16>(node(code), 6) }
// @ts-ignore: decorator
@inline export function parentOf(code: u32): u32 { return load<u16>(ROOTS + (<usize>code << 2)) }
// @ts-ignore: decorator
@inline function firstOf(code: u32): u32 { return load<u16>(ROOTS + (<usize>code << 2), 2) }

/** Whether the decoder will learn no more. */
export function isFull(): bool { return following >= MAX_CODES }

/** Begins with the strings of one symbol: `symbols` of them. */
export function openDictionary(symbols: u32, size: u32): void {
  codeSize = size
  clearCode = 1 << size
  memory.fill(ROOTS, 0, 4096 * 4)
  for (let symbol: u32 = 0; symbol < symbols; symbol++) {
    store<u16>(node(symbol), <u16>symbol, 4)
    store<u16>(ROOTS + (<usize>symbol << 2), <u16>symbol, 2)
  }
  restartDictionary()
}

/** Forgets all longer strings. */
export function restartDictionary(): void {
  for (let code: u32 = 0; code < clearCode; code++) {
    store<u16>(node(code), 0)
    store<u16>(node(code), 0, 6)
  }
  hasLatest = false
  expected = 0
  following = clearCode + 2
  codeBits = codeSize + 1
}

function knows(code: u32, symbol: u32): bool {
  let at = childOf(code)
  while (at != 0 && lastOf(at) != symbol) at = siblingOf(at)
  return at != 0
}

/** Makes a code the latest one's with a symbol more, unless there is one. */
function link(code: u32, symbol: u32): void {
  store<u16>(node(code), <u16>symbol, 4)
  if (knows(latest, symbol)) return
  store<u16>(node(code), <u16>childOf(latest), 2)
  store<u16>(node(latest), <u16>code)
  let height: u32 = 1
  let at = latest
  while (heightOf(at) < height) {
    store<u16>(node(at), <u16>height, 6)
    height++
    if (at < clearCode) break
    at = parentOf(at)
  }
}

/**
 * Adds what the decoder learns with the next code: the latest string and the symbol that follows it. That is not known yet; until it
 * is, it counts as the latest string's own first one, for with that alone the next code may be this very string.
 */
export function expectString(): void {
  expected = 0
  if (!hasLatest || isFull()) return
  expected = following++
  store<u16>(node(expected), 0)
  store<u16>(node(expected), 0, 6)
  store<u16>(ROOTS + (<usize>expected << 2), <u16>latest)
  store<u16>(ROOTS + (<usize>expected << 2), <u16>firstOf(latest), 2)
  link(expected, firstOf(latest))
}

/** Updates the dictionary after `code` was written. */
export function addWritten(code: u32): void {
  const symbol = firstOf(code)
  if (expected != 0 && symbol != lastOf(expected)) {
    if (childOf(latest) == expected) store<u16>(node(latest), <u16>siblingOf(expected))
    link(expected, symbol)
  }
  latest = code
  hasLatest = true
  // A decoder has learnt what was expected here, and grows when its next string needs it.
  if (following == <u32>1 << codeBits && codeBits < MAX_CODE_BITS) codeBits++
}
