// Entropy coding of JPEG XL (ISO/IEC 18181-1, annex C): counting symbols and coding them by ANS. A token is a context above 18 bits of value.
import { closeOutput, openOutput, put } from '../common/bit-writer'

const VALUE_BITS: u32 = 18
const VALUE_MASK: u32 = (1 << VALUE_BITS) - 1
/** Values below 2^SPLIT are their own symbols; above, a symbol holds the exponent and two bits after the leading one. */
const SPLIT: u32 = 4
const LEADING: u32 = 2
const FINAL_STATE: u32 = 0x130000
const RENEWED: u32 = 0x10000

// @ts-ignore: decorator
@inline function symbolOf(value: u32): u32 {
  if (value < 1 << SPLIT) return value
  const exponent = 31 - clz<u32>(value)
  return (1 << SPLIT) + ((exponent - SPLIT) << LEADING) + ((value >> (exponent - LEADING)) & ((1 << LEADING) - 1))
}

/** Counts the symbols of `length` tokens at `tokens`: u32, `size` a context. Returns the largest symbol. */
export function countSymbols(tokens: usize, length: i32, counts: usize, size: u32): u32 {
  let largest: u32 = 0
  const end = tokens + <usize>length * 4
  for (let at = tokens; at < end; at += 4) {
    const token = load<u32>(at)
    const symbol = symbolOf(token & VALUE_MASK)
    largest = max(largest, symbol)
    const count = counts + <usize>((token >> VALUE_BITS) * size + symbol) * 4
    store<u32>(count, load<u32>(count) + 1)
  }
  return largest
}

@unmanaged class EncodeTokens {
  tokens: usize
  length: i32
  contextMap: usize
  logSize: u32
  frequencies: usize
  starts: usize
  slots: usize
  renewals: usize
  out: usize
}

/**
 * Codes `length` tokens. By cluster and symbol (2^`logSize` each) `frequencies` holds u16 and `starts` u32, the first of a symbol's `slots` (u16);
 * `contextMap` holds the cluster of each context, a byte. `renewals` are `length` words of scratch. Writes the state that a decoder begins with and then
 * bits to `out`. Returns the bytes written, the last one filled up; `encodedBits` says how many of their bits count.
 */
export function encodeTokens(given: EncodeTokens): u32 {
  let tokens = given.tokens
  let length = given.length
  let contextMap = given.contextMap
  let logSize = given.logSize
  let frequencies = given.frequencies
  let starts = given.starts
  let slots = given.slots
  let renewals = given.renewals
  let out = given.out
  let state: u32 = FINAL_STATE
  for (let i = length - 1; i >= 0; i--) {
    const token = load<u32>(tokens + <usize>i * 4)
    const cluster = <u32>load<u8>(contextMap + <usize>(token >> VALUE_BITS))
    const index = <usize>((cluster << logSize) + symbolOf(token & VALUE_MASK))
    const frequency = <u32>load<u16>(frequencies + index * 2)
    let renewal: u32 = 0
    if (state >> 20 >= frequency) {
      renewal = (state & (RENEWED - 1)) | RENEWED
      state >>= 16
    }
    store<u32>(renewals + <usize>i * 4, renewal)
    const quotient = state / frequency
    const slot = load<u16>(slots + <usize>(load<u32>(starts + index * 4) + state - quotient * frequency) * 2)
    state = (quotient << 12) | <u32>slot
  }
  return writeBits(tokens, length, renewals, out, state)
}

let bits: u32 = 0

/** Bits of the last stream. */
export function encodedBits(): u32 { return bits }

function writeBits(tokens: usize, length: i32, renewals: usize, out: usize, state: u32): u32 {
  openOutput(out)
  put(state & 0xffff, 16)
  put(state >> 16, 16)
  bits = 32
  for (let i = 0; i < length; i++) {
    const renewal = load<u32>(renewals + <usize>i * 4)
    if (renewal != 0) {
      put(renewal & (RENEWED - 1), 16)
      bits += 16
    }
    const value = load<u32>(tokens + <usize>i * 4) & VALUE_MASK
    if (value < 1 << SPLIT) continue
    const extra = 31 - clz<u32>(value) - LEADING
    put(value & ((1 << extra) - 1), extra)
    bits += extra
  }
  return <u32>(closeOutput() - out)
}
