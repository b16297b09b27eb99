import { TOKEN } from '../format-numbers.ts'

/**
 * Numbers to be coded, each with its context. A number is coded as a symbol and extra bits (hybrid integers, ISO/IEC 18181-1, annex C).
 * Below 16 it is its own symbol. Above, the symbol holds its exponent and two bits after the leading one, and the rest is extra.
 */
export class Tokens {
  #packed: Uint32Array
  #length = 0

  constructor(capacity = 256) {
    this.#packed = new Uint32Array(capacity)
  }

  /** A copy of tokens that are packed. */
  static from(packed: Uint32Array): Tokens {
    const tokens = new Tokens(0)
    tokens.#packed = packed.slice()
    tokens.#length = packed.length
    return tokens
  }

  /** Appends `value` (below 2^18) in a context (below 2^13). */
  push(context: number, value: number): void {
    if (this.#length === this.#packed.length) this.#grow()
    this.#packed[this.#length++] = packToken(context, value)
  }

  #grow(): void {
    const grown = new Uint32Array(2 * this.#length + 256)
    grown.set(this.#packed)
    this.#packed = grown
  }

  /** All of them, each a context above 18 bits of value. */
  get packed(): Uint32Array {
    return this.#packed.subarray(0, this.#length)
  }
}

/** The largest value that a token holds. */
export const MAX_VALUE = 2 ** TOKEN.valueBits - 1

const packToken = (context: number, value: number): number => (context << TOKEN.valueBits) | value

/** Symbol of a value. */
export const symbolOf = (value: number): number => {
  if (value < 2 ** TOKEN.splitExponent) return value
  const exponent = 31 - Math.clz32(value)
  const leading = (value >>> (exponent - TOKEN.leadingBits)) & (2 ** TOKEN.leadingBits - 1)
  return 2 ** TOKEN.splitExponent + ((exponent - TOKEN.splitExponent) << TOKEN.leadingBits) + leading
}

/** Numbers as tokens of context 0. */
export const tokensOf = (values: Iterable<number>): Tokens => {
  const tokens = new Tokens()
  for (const value of values) tokens.push(0, value)
  return tokens
}
