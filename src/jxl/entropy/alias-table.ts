import { JXL } from '../format-numbers.ts'
import { DISTRIBUTION_SUM } from './distribution.ts'

/** Where an ANS coder goes: the slot of each occurrence of a symbol. */
export interface Slots {
  /** By symbol: where its occurrences begin in `slots`. */
  readonly starts: Uint16Array
  /** Slots 0..4095, by symbol and occurrence. */
  readonly slots: Uint16Array
}

/**
 * Slots of a distribution by the alias method (ISO/IEC 18181-1, annex C): 2^`logAlphabet` buckets of equal size. The first part of a bucket
 * belongs to the symbol of its number, the rest to one other symbol. Symbols of too many slots fill up those of too few, the last ones first.
 */
export const layOutSlots = (frequencies: Uint16Array, logAlphabet: number): Slots => {
  const starts = new Uint16Array(frequencies.length + 1)
  for (let s = 0; s < frequencies.length; s++) starts[s + 1] = starts[s]! + frequencies[s]!
  const slots = new Uint16Array(DISTRIBUTION_SUM)
  const single = frequencies.indexOf(DISTRIBUTION_SUM)
  if (single >= 0) return { starts, slots: slots.map((_, slot) => slot) }
  const size = 2 ** (JXL.distributionBits - logAlphabet)
  const { own, other, offset } = fillBuckets(frequencies, logAlphabet)
  for (let bucket = 0; bucket < own.length; bucket++) {
    const cutoff = own[bucket]!
    for (let i = 0; i < cutoff; i++) slots[starts[bucket]! + i] = bucket * size + i
    const first = starts[other[bucket]!]! + offset[bucket]! - cutoff
    for (let i = cutoff; i < size; i++) slots[first + i] = bucket * size + i
  }
  return { starts, slots }
}

const fillBuckets = (frequencies: Uint16Array, logAlphabet: number) => {
  const buckets = 2 ** logAlphabet
  const size = DISTRIBUTION_SUM / buckets
  const own = new Uint16Array(buckets)
  own.set(frequencies.subarray(0, buckets))
  const other = Uint16Array.from(own.keys())
  const offset = new Uint16Array(buckets)
  const under: number[] = []
  const over: number[] = []
  own.forEach((count, bucket) => {
    if (count > size) over.push(bucket)
    else if (count < size) under.push(bucket)
  })
  while (over.length > 0) {
    const giver = over.pop()!
    const taker = under.pop()!
    own[giver]! -= size - own[taker]!
    other[taker] = giver
    offset[taker] = own[giver]!
    if (own[giver]! < size) under.push(giver)
    else if (own[giver]! > size) over.push(giver)
  }
  return { own, other, offset }
}
