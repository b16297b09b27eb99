// Contexts of HF coefficients (ISO/IEC 18181-1, annex I).

import type { BitWriter } from '../bits/bit-writer.ts'
import { bitsFrom, packSigned, writeU32 } from '../bits/fields.ts'
import type { QuantisedComponent } from '../coefficients.ts'
import { writeContextMap } from '../entropy/entropy-code.ts'
import { JXL } from '../format-numbers.ts'

/** Block contexts: a block's context depends on its luma LF coefficient. */
export interface BlockContexts {
  /** Rising; a block's class is how many of them its LF coefficient is above. */
  readonly thresholds: readonly number[]
  /** Block context by channel (Cb, Y, Cr) and class. */
  readonly contexts: readonly [readonly number[], readonly number[], readonly number[]]
  readonly count: number
}

/** Thresholds between about equally many blocks. */
const quantiles = ({ coefficients }: QuantisedComponent, count: number): number[] => {
  const sorted = new Int16Array(coefficients.length / 64)
  for (let i = 0; i < sorted.length; i++) sorted[i] = coefficients[i * 64]!
  sorted.sort()
  const values = Array.from(
    { length: count },
    (_, i) => sorted[Math.floor(((i + 1) * sorted.length) / (count + 1))]! - 1,
  )
  return [...new Set(values)]
}

/** More classes for larger and finer images: about a class for each doubling of blocks in terms of the first steps. */
const classesFor = (luma: QuantisedComponent): number => {
  const blocks = luma.coefficients.length / 64
  const steps = luma.quantTable.subarray(1, 6).reduce((sum, step) => sum + step, 0)
  return Math.max(1, Math.min(JXL.maxLumaThresholds, Math.ceil(Math.log2(blocks)) - Math.ceil(Math.log2(steps)) - 7))
}

/** Block contexts of a frame. */
export const blockContexts = (luma: QuantisedComponent, grey: boolean): BlockContexts => {
  const thresholds = quantiles(luma, classesFor(luma))
  const classes = thresholds.length + 1
  const of = (first: number, shift: number): number[] => Array.from({ length: classes }, (_, i) => first + (i >> shift))
  const half = (classes + 1) >> 1
  if (grey) {
    const chroma = new Array<number>(classes).fill(classes)
    return { thresholds, contexts: [chroma, of(0, 0), chroma], count: classes + 1 }
  }
  return { thresholds, contexts: [of(classes, 1), of(0, 0), of(classes + half, 1)], count: classes + 2 * half }
}

/** Writes them. */
export const writeBlockContexts = (writer: BitWriter, { thresholds, contexts, count }: BlockContexts): void => {
  writer.write(0, 1)
  const [cb, y, cr] = contexts
  for (const list of [[], thresholds, []]) {
    writer.write(list.length, 4)
    for (const threshold of list)
      writeU32(writer, packSigned(threshold), [
        bitsFrom(4, 0),
        bitsFrom(8, 16),
        bitsFrom(16, 272),
        bitsFrom(32, 65_808),
      ])
  }
  writer.write(0, 4) // no thresholds of the transforms' strength
  const classes = thresholds.length + 1
  const map = new Uint8Array(3 * JXL.transformKinds * classes)
  for (const [c, list] of [y, cb, cr].entries()) map.set(list, c * JXL.transformKinds * classes)
  writeContextMap(writer, map, count)
}

/** Contexts of all HF tokens. */
export const hfContexts = ({ count }: BlockContexts): number => count * (JXL.countContexts + JXL.coefficientContexts)

/** Classes of how many coefficients are left, 1 to 63: where each begins, and the context that it begins with. */
const LEFT_CLASSES = [
  [1, 0], [2, 31], [3, 62], [5, 93], [9, 123], [13, 152], [21, 180], [33, 206],
] as const // biome-ignore format: one table
const leftContext = (left: number): number => LEFT_CLASSES.findLast(([from]) => left >= from)![1]

/** Classes of a place in the coding order, 1 to 63: one each up to 15, then of two, then of four places. */
const placeClass = (k: number): number => (k < 16 ? k - 1 : k < 32 ? 15 + ((k - 16) >> 1) : 23 + ((k - 32) >> 2))

/** Context of a coefficient less its block's first. The index is 128 k + 2 left + before: its position k, the coefficients left, and 1 where the one before is not zero. */
export const COEFFICIENT_CONTEXT = Uint16Array.from({ length: 64 * 128 }, (_, i) => {
  const [k, left, before] = [i >> 7, (i >> 1) & 63, i & 1]
  return k === 0 || left === 0 ? 0 : (leftContext(left) + placeClass(k)) * 2 + before
})
