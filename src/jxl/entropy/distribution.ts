// Distributions of ANS symbols in 1/4096 (ISO/IEC 18181-1, annex C): how counts are rounded to them and how they are written.

import { BitWriter } from '../bits/bit-writer.ts'
import { JXL } from '../format-numbers.ts'

/** The sum of a distribution. */
export const DISTRIBUTION_SUM = 2 ** JXL.distributionBits

const LOG2 = Float64Array.from({ length: DISTRIBUTION_SUM + 1 }, (_, n) => (n === 0 ? 0 : Math.log2(n)))
const floorLog2 = (value: number): number => 31 - Math.clz32(value)

/** Precisions that are tried for a distribution: 0 writes powers of two alone, 12 exact numbers. */
const PRECISIONS = [0, 2, 4, 6, 8, 10, 12] as const

/** Bits after the leading one that a frequency with this logarithm is written with. */
const bitsAfterLeading = (log: number, precision: number): number =>
  precision === 0 ? 0 : Math.max(0, Math.min(log, precision - ((JXL.distributionBits - log) >> 1)))

/** Highest logarithm of the other symbols' frequencies. That of the most frequent symbol must be higher when it comes later. */
const MAX_OTHER_LOG = JXL.distributionBits - 2

/** The nearest frequency that can be written for a symbol that is not the most frequent one. */
const roundFrequency = (frequency: number, precision: number): number => {
  if (frequency <= 1) return 1
  const log = Math.min(MAX_OTHER_LOG, floorLog2(frequency))
  const step = 2 ** (log - bitsAfterLeading(log, precision))
  return Math.min(2 ** (MAX_OTHER_LOG + 1) - step, Math.round(frequency / step) * step)
}

/** A distribution, the symbol whose frequency is what the others leave, and the precision of these. */
interface Rounded {
  readonly frequencies: Uint16Array
  readonly rest: number
  readonly precision: number
}

/** Takes frequencies from the largest others until `rest` keeps one; only exact numbers can be changed by one. */
const makeRoom = (frequencies: Uint16Array, rest: number, sum: number): number => {
  let over = sum - (DISTRIBUTION_SUM - 1)
  while (over > 0) {
    let largest = -1
    for (let s = 0; s < frequencies.length; s++)
      if (s !== rest && (largest < 0 || frequencies[s]! > frequencies[largest]!)) largest = s
    frequencies[largest]!--
    over--
  }
  return DISTRIBUTION_SUM - 1
}

const roundCounts = (counts: Uint32Array, total: number, precision: number): Rounded | undefined => {
  const frequencies = new Uint16Array(counts.length)
  let rest = 0
  for (let s = 1; s < counts.length; s++) if (counts[s]! > counts[rest]!) rest = s
  let sum = 0
  for (let s = 0; s < counts.length; s++) {
    if (counts[s] === 0 || s === rest) continue
    frequencies[s] = roundFrequency((counts[s]! * DISTRIBUTION_SUM) / total, precision)
    sum += frequencies[s]!
  }
  if (sum >= DISTRIBUTION_SUM) {
    if (precision !== JXL.distributionBits) return undefined
    sum = makeRoom(frequencies, rest, sum)
  }
  frequencies[rest] = DISTRIBUTION_SUM - sum
  return { frequencies, rest, precision }
}

/** Prefix codes of the logarithms, by logarithm + 1 (0 is frequency zero): code and length. Row 13 says that the last frequency repeats. */
const LOG_CODES: readonly (readonly [code: number, length: number])[] = [
  [17, 5], [11, 4], [15, 4], [3, 4], [9, 4], [7, 4], [4, 3], [2, 3], [5, 3], [6, 3], [0, 3], [33, 6], [1, 7], [65, 7],
] // biome-ignore format: one table

/** Writes a number of 0 to 255 in 1 to 11 bits. */
const writeVariable = (writer: BitWriter, value: number): void => {
  writer.write(value === 0 ? 0 : 1, 1)
  if (value === 0) return
  const log = floorLog2(value)
  writer.write(log, 3)
  writer.write(value - 2 ** log, log)
}

const writePrecision = (writer: BitWriter, precision: number): void => {
  const log = floorLog2(precision + 1)
  for (let i = 0; i < log; i++) writer.write(1, 1)
  if (log < 3) writer.write(0, 1)
  writer.write(precision + 1 - 2 ** log, log)
}

/** The logarithms as they are written: that of `rest` is above all before it, so that readers find it. */
const writtenLogs = ({ frequencies, rest }: Rounded): Int8Array => {
  const logs = Int8Array.from(frequencies, (frequency) => (frequency === 0 ? -1 : floorLog2(frequency)))
  logs.forEach((log, s) => {
    if (s !== rest) logs[rest] = Math.max(logs[rest]!, s < rest ? log + 1 : log)
  })
  return logs
}

const writeLogs = (writer: BitWriter, logs: Int8Array): void => {
  for (let s = 0; s < logs.length; s++) {
    const [code, length] = LOG_CODES[logs[s]! + 1]!
    writer.write(code, length)
    if (logs[s] !== -1) continue
    let zeros = 0
    while (s + 1 + zeros < logs.length && logs[s + 1 + zeros] === -1) zeros++
    if (zeros < JXL.minRepeat) continue
    writer.write(...LOG_CODES[JXL.repeatSymbol]!)
    writeVariable(writer, zeros - JXL.minRepeat)
    s += zeros
  }
}

const writeGeneral = (writer: BitWriter, rounded: Rounded): void => {
  const { frequencies, rest, precision } = rounded
  let length = frequencies.length
  while (length > JXL.minListed && frequencies[length - 1] === 0) length--
  const logs = writtenLogs(rounded)
  writer.write(0, 2)
  writePrecision(writer, precision)
  writeVariable(writer, length - JXL.minListed)
  const listed = new Int8Array(Math.max(length, JXL.minListed)).fill(-1)
  listed.set(logs.subarray(0, length))
  writeLogs(writer, listed)
  for (let s = 0; s < length; s++) {
    const log = logs[s]!
    if (s === rest || log <= 0) continue
    const bits = bitsAfterLeading(log, precision)
    writer.write((frequencies[s]! - 2 ** log) >> (log - bits), bits)
  }
}

/** Writes a distribution of one or two symbols. */
const writeSimple = (writer: BitWriter, frequencies: Uint16Array, symbols: readonly number[]): void => {
  writer.write(1, 1)
  writer.write(symbols.length - 1, 1)
  for (const symbol of symbols) writeVariable(writer, symbol)
  if (symbols.length === 2) writer.write(frequencies[symbols[0]!]!, JXL.distributionBits)
}

/** Bits that the counted symbols take under a distribution. */
const codedBits = (counts: Uint32Array, frequencies: Uint16Array): number => {
  let bits = 0
  for (let s = 0; s < counts.length; s++)
    if (counts[s]! > 0) bits += counts[s]! * (JXL.distributionBits - LOG2[frequencies[s]!]!)
  return bits
}

/** A distribution as it is written. */
export interface Distribution {
  /** By symbol; they sum to `DISTRIBUTION_SUM`. */
  readonly frequencies: Uint16Array
  readonly write: (writer: BitWriter) => void
}

/** The distribution that codes these counts, its own bits included, in the fewest bits. */
export const distributionOf = (counts: Uint32Array): Distribution => {
  const symbols = [...counts.keys()].filter((s) => counts[s]! > 0)
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (symbols.length <= 2) {
    const listed = symbols.length === 0 ? [0] : symbols
    const { frequencies } = roundCounts(counts, Math.max(1, total), JXL.distributionBits)!
    return { frequencies, write: (writer) => writeSimple(writer, frequencies, listed) }
  }
  let best: Rounded | undefined
  let leastBits = Number.POSITIVE_INFINITY
  for (const precision of PRECISIONS) {
    const rounded = roundCounts(counts, total, precision)
    if (rounded === undefined) continue
    const header = new BitWriter()
    writeGeneral(header, rounded)
    const bits = header.bits + codedBits(counts, rounded.frequencies)
    if (bits < leastBits) [best, leastBits] = [rounded, bits]
  }
  const chosen = best!
  return { frequencies: chosen.frequencies, write: (writer) => writeGeneral(writer, chosen) }
}
