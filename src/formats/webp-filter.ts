/**
 * Sets the loop filter's sharpness in a lossy WebP (RFC 6386, sections 9.3, 9.6 and 15.2). The filter runs after all blocks are predicted, so that the
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

/** The bit of a partition at which the sharpness begins. */
const sharpnessAt = (partition: Uint8Array): number => {
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
  return skip(BITS.filterType + BITS.level)
}

/** Sets the sharpness, 0 to 7, in place: at 0 the filter smooths everything, at 7 only what is nearly flat. Returns the file. */
export const setFilterSharpness = <T extends Uint8Array>(file: T, sharpness: number): T => {
  const frame = [...readRiffChunks(file)].find(({ type }) => type === 'VP8 ')?.whole
  const partition = frame?.subarray(HEADER_SIZES.riffChunk + VP8.headerBytes)
  if (partition === undefined || partition[0]! >> 7 !== 0) return file
  const from = sharpnessAt(partition)
  for (let bit = 0; bit < BITS.sharpness; bit++) {
    const at = from + bit
    const mask = 1 << (7 - (at & 7))
    const isSet = (sharpness >> (BITS.sharpness - 1 - bit)) & 1
    partition[at >> 3] = isSet ? partition[at >> 3]! | mask : partition[at >> 3]! & ~mask
  }
  return file
}
