import { MOST_BITS } from './code-writer.ts'

/** Strings that a decoder knows at most. */
export const MOST_CODES = 1 << MOST_BITS
/** No such string. */
export const NONE = -1

/** The strings that a decoder of GIF's LZW knows, as a tree: each is another with one symbol more. */
export interface Dictionary {
  /** The code that makes the decoder forget all strings but single symbols; the one after it ends the image. */
  readonly clear: number
  /** By code: its first continuation, the next continuation of what it continues, its last symbol, what it continues, its first symbol. */
  readonly child: Int16Array
  readonly sibling: Int16Array
  readonly last: Int16Array
  readonly parent: Int16Array
  readonly first: Int16Array
  /** Bits of the next code. */
  readonly bits: () => number
  /** Whether the decoder will learn no more. */
  readonly isFull: () => boolean
  /**
   * Adds what the decoder learns with the next code: the latest string and the symbol that follows it. That is not known yet; until it
   * is, it counts as the latest string's own first one, for with that alone the next code may be this very string.
   */
  readonly expect: () => void
  /** Tells which code was written. */
  readonly wrote: (code: number) => void
  readonly restart: () => void
}

/** Opens a dictionary of single symbols 0 to `symbols` - 1, whose code size is `codeSize`. */
export const openDictionary = (symbols: number, codeSize: number): Dictionary => {
  const clear = 1 << codeSize
  const child = new Int16Array(MOST_CODES).fill(NONE)
  const sibling = new Int16Array(MOST_CODES).fill(NONE)
  const last = new Int16Array(MOST_CODES)
  const parent = new Int16Array(MOST_CODES).fill(NONE)
  const first = new Int16Array(MOST_CODES)
  for (let symbol = 0; symbol < symbols; symbol += 1) {
    last[symbol] = symbol
    first[symbol] = symbol
  }
  let latest = NONE
  let next = clear + 2
  let expected = NONE
  let width = codeSize + 1

  const knows = (code: number, symbol: number): boolean => {
    let at = child[code]!
    while (at !== NONE && last[at] !== symbol) at = sibling[at]!
    return at !== NONE
  }
  const link = (code: number, symbol: number): void => {
    last[code] = symbol
    if (knows(latest, symbol)) return
    sibling[code] = child[latest]!
    child[latest] = code
  }
  const unlink = (code: number): void => {
    if (child[latest] === code) child[latest] = sibling[code]!
  }

  return {
    clear,
    child,
    sibling,
    last,
    parent,
    first,
    bits: () => width,
    isFull: () => next >= MOST_CODES,
    expect: () => {
      expected = latest === NONE || next >= MOST_CODES ? NONE : next
      if (expected === NONE) return
      next += 1
      child[expected] = NONE
      parent[expected] = latest
      first[expected] = first[latest]!
      link(expected, first[latest]!)
    },
    wrote: (code) => {
      const symbol = first[code]!
      if (expected !== NONE && symbol !== last[expected]) {
        unlink(expected)
        link(expected, symbol)
      }
      latest = code
      // A decoder has learnt what was expected here, and grows when its next string needs it.
      if (next === 1 << width && width < MOST_BITS) width += 1
    },
    restart: () => {
      child.fill(NONE)
      latest = NONE
      expected = NONE
      next = clear + 2
      width = codeSize + 1
    },
  }
}
