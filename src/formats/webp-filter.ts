/**
 * Sets the loop filter of a lossy WebP (RFC 6386, sections 9.3, 9.6 and 15.2). The filter runs after all blocks are predicted, so that the
 * rest of the file stays as it is. libwebp writes the header's first flag, the colour space, as 0. From then on the range of the arithmetic coder
 * (section 7) is 128, and every flag and literal of even probability is one bit of the partition.
 */
import { readRiffChunks } from '../containers/riff.ts'
import { HEADER_SIZES } from '../core/header-sizes.ts'
import { VP8 } from '../core/webp-numbers.ts'

/** Bits of the header's fields; each segment has a quantiser and a level of the filter, and all but one a probability. */
const BITS = { colourSpaceAndClamping: 2, quantiser: 7, level: 6, probability: 8, filterType: 1, sharpness: 3 } as const

/** A reader of single bits, the highest of each byte first. */
const openBits = (bytes: Uint8Array) => {
  let at = 0
  const skip = (count: number): number => (at += count)
  const flag = (): boolean => {
    const isSet = ((bytes[at >> 3]! >> (7 - (at & 7))) & 1) === 1
    at += 1
    return isSet
  }
  /** Skips fields that a flag precedes. */
  const skipOptional = (fields: number, bits: number): void => {
    for (let field = 0; field < fields; field++) if (flag()) skip(bits)
  }
  return { skip, flag, skipOptional }
}

/** The bit of a partition at which the frame's level begins; the sharpness follows it. */
const levelAt = (partition: Uint8Array): number => {
  const { skip, flag, skipOptional } = openBits(partition)
  skip(BITS.colourSpaceAndClamping)
  if (flag()) {
    const [hasMap, hasData] = [flag(), flag()]
    if (hasData) {
      skip(1)
      skipOptional(VP8.segments, BITS.quantiser + 1)
      skipOptional(VP8.segments, BITS.level + 1)
    }
    if (hasMap) skipOptional(VP8.segments - 1, BITS.probability)
  }
  return skip(BITS.filterType)
}

/** A filter: off, or its sharpness. At 0 it smooths everything, at 7 only what is nearly flat. */
export type LoopFilter = 'off' | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7

/** Sets the sharpness in place, or the frame's level to 0, at which no segment is filtered. Returns the file. */
export const setLoopFilter = <T extends Uint8Array>(file: T, filter: LoopFilter): T => {
  const frame = [...readRiffChunks(file)].find(({ type }) => type === 'VP8 ')?.whole
  const partition = frame?.subarray(HEADER_SIZES.riffChunk + VP8.headerBytes)
  if (partition === undefined || partition[0]! >> 7 !== 0) return file
  const level = levelAt(partition)
  const field =
    filter === 'off'
      ? { from: level, bits: BITS.level, value: 0 }
      : { from: level + BITS.level, bits: BITS.sharpness, value: filter }
  for (let bit = 0; bit < field.bits; bit++) {
    const at = field.from + bit
    const mask = 1 << (7 - (at & 7))
    const isSet = (field.value >> (field.bits - 1 - bit)) & 1
    partition[at >> 3] = isSet ? partition[at >> 3]! | mask : partition[at >> 3]! & ~mask
  }
  return file
}
