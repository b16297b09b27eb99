// Entropy-coded streams (ISO/IEC 18181-1, annex C): ANS with clustered contexts and hybrid integers.

import { BitWriter } from '../bits/bit-writer.ts'
import { ceilLog2 } from '../bits/fields.ts'
import { JXL, TOKEN } from '../format-numbers.ts'
import { allocateIn, place, withKernel } from '../kernel.ts'
import { layOutSlots } from './alias-table.ts'
import { clusterContexts, type Histograms } from './cluster.ts'
import { DISTRIBUTION_SUM, type Distribution, distributionOf } from './distribution.ts'
import { MAX_VALUE, symbolOf, type Tokens, tokensOf } from './tokens.ts'

/** How streams of tokens are coded. */
export interface EntropyCode {
  readonly contextMap: Uint8Array
  readonly logAlphabet: number
  readonly distributions: readonly Distribution[]
  readonly tables: CoderTables
}

/** Symbols of all values that a token holds are below this. */
const MAX_SYMBOLS = symbolOf(MAX_VALUE) + 1

const countSymbols = (streams: readonly Tokens[], contexts: number): Histograms =>
  withKernel((kernel) => {
    const counts = allocateIn(kernel, contexts * MAX_SYMBOLS * 4)
    kernel.clear(counts, contexts * MAX_SYMBOLS * 4)
    let largest = 0
    for (const { packed } of streams) {
      const before = kernel.mark()
      largest = Math.max(largest, kernel.countSymbols(place(kernel, packed), packed.length, counts, MAX_SYMBOLS))
      kernel.release(before)
    }
    const all = new Uint32Array(kernel.memory.buffer, counts, contexts * MAX_SYMBOLS)
    const size = largest + 1
    const used = new Uint32Array(contexts * size)
    for (let context = 0; context < contexts; context++)
      used.set(all.subarray(context * MAX_SYMBOLS, context * MAX_SYMBOLS + size), context * size)
    return { size, contexts, counts: used }
  })

/** Tables of the coder: by cluster and symbol (2^`logSize` each) the frequency and the first of its slots. */
interface CoderTables {
  readonly logSize: number
  readonly frequencies: Uint16Array
  readonly starts: Uint32Array
  readonly slots: Uint16Array
}

const tablesOf = (distributions: readonly Distribution[], logSize: number): CoderTables => {
  const frequencies = new Uint16Array(distributions.length << logSize)
  const starts = new Uint32Array(distributions.length << logSize)
  const slots = new Uint16Array(distributions.length * DISTRIBUTION_SUM)
  distributions.forEach((distribution, cluster) => {
    const laidOut = layOutSlots(distribution.frequencies, logSize)
    const first = cluster * DISTRIBUTION_SUM
    frequencies.set(distribution.frequencies, cluster << logSize)
    slots.set(laidOut.slots, first)
    distribution.frequencies.forEach((_, symbol) => {
      starts[(cluster << logSize) + symbol] = first + laidOut.starts[symbol]!
    })
  })
  return { logSize, frequencies, starts, slots }
}

/** The code for streams that share it, of tokens in contexts below `contexts`. */
export const codeFor = (streams: readonly Tokens[], contexts: number): EntropyCode => {
  const histograms = countSymbols(streams, contexts)
  const { contextMap, counts } = clusterContexts(histograms)
  const logAlphabet = Math.max(JXL.minLogAlphabet, ceilLog2(histograms.size))
  const distributions = counts.map(distributionOf)
  return { contextMap, logAlphabet, distributions, tables: tablesOf(distributions, logAlphabet) }
}

/** Writes what a reader needs before any stream of this code. */
export const writeCode = (writer: BitWriter, code: EntropyCode): void => {
  const { contextMap, logAlphabet, distributions } = code
  writer.write(0, 1) // no repetition by distance
  if (contextMap.length > 1) writeContextMap(writer, contextMap, distributions.length)
  writer.write(0, 1) // ANS, no prefix codes
  writer.write(logAlphabet - JXL.minLogAlphabet, 2)
  distributions.forEach(() => {
    writer.write(TOKEN.splitExponent, ceilLog2(logAlphabet + 1))
    writer.write(TOKEN.leadingBits, ceilLog2(TOKEN.splitExponent + 1))
    writer.write(0, ceilLog2(TOKEN.splitExponent - TOKEN.leadingBits + 1))
  })
  for (const { write } of distributions) write(writer)
}

/** Bits of a coded stream. */
export interface CodedStream {
  readonly bytes: Uint8Array
  readonly bits: number
}

/** Codes streams, whose tokens are among those of the code. */
export const encodeStreams = ({ contextMap, tables }: EntropyCode, streams: readonly Tokens[]): CodedStream[] =>
  withKernel((kernel) => {
    const map = place(kernel, contextMap)
    const frequencies = place(kernel, tables.frequencies)
    const starts = place(kernel, tables.starts)
    const slots = place(kernel, tables.slots)
    return streams.map(({ packed }) => {
      const { length } = packed
      const before = kernel.mark()
      const tokens = place(kernel, packed)
      const renewals = allocateIn(kernel, length * 4)
      const out = allocateIn(kernel, length * TOKEN.maxBytes + 8)
      const model = { contextMap: map, logSize: tables.logSize, frequencies, starts, slots, renewals }
      const bytes = kernel.encodeTokens({ tokens, length, ...model, out })
      const coded = { bytes: new Uint8Array(kernel.memory.buffer, out, bytes).slice(), bits: kernel.encodedBits() }
      kernel.release(before)
      return coded
    })
  })

/** Writes one stream, whose tokens are among those of the code. */
export const writeTokens = (writer: BitWriter, code: EntropyCode, tokens: Tokens): void => {
  const [{ bytes, bits }] = encodeStreams(code, [tokens]) as [CodedStream]
  writer.writeBits(bytes, bits)
}

/** Each number as its place among those used lately. */
const moveToFront = (contextMap: Uint8Array): Uint8Array => {
  const recent = Array.from({ length: 256 }, (_, i) => i)
  return contextMap.map((cluster) => {
    const place = recent.indexOf(cluster)
    recent.splice(place, 1)
    recent.unshift(cluster)
    return place
  })
}

const simpleMap = (contextMap: Uint8Array, clusters: number): BitWriter => {
  const writer = new BitWriter()
  const bits = ceilLog2(clusters)
  writer.write(1, 1)
  writer.write(bits, 2)
  for (const cluster of contextMap) writer.write(cluster, bits)
  return writer
}

const codedMap = (entries: Uint8Array, moved: boolean): BitWriter => {
  const tokens = tokensOf(entries)
  const writer = new BitWriter()
  writer.write(moved ? 2 : 0, 2)
  const code = codeFor([tokens], 1)
  writeCode(writer, code)
  writeTokens(writer, code, tokens)
  return writer
}

/** Writes whose distribution each context has, in the form that takes the fewest bits. */
export const writeContextMap = (writer: BitWriter, contextMap: Uint8Array, clusters: number): void => {
  const forms = [
    ...(clusters <= JXL.maxSimpleClusters ? [simpleMap(contextMap, clusters)] : []),
    ...(clusters > 1 ? [codedMap(contextMap, false), codedMap(moveToFront(contextMap), true)] : []),
  ]
  writer.appendBits(forms.reduce((best, form) => (form.bits < best.bits ? form : best)))
}
