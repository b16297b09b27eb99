/**
 * Reads the quantiser of a lossy WebP: y_ac_qi of the frame header (RFC 6386, sections 9.3 to 9.6 and 19.2). The header is read by the
 * boolean decoder of section 7, at even probability.
 */
import { VP8 } from '../../core/webp-numbers.ts'

/** Reads literals of an arithmetic-coded partition. Bytes beyond its end count as 0. */
const openBooleans = (bytes: Uint8Array) => {
  let [range, value, bits, at] = [255, ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0), 0, 2]
  const bit = (): number => {
    const split = 1 + (((range - 1) * 128) >> 8)
    const isSet = value >= split << 8
    if (isSet) value -= split << 8
    range = isSet ? range - split : split
    while (range < 128) {
      value <<= 1
      range <<= 1
      bits += 1
      if (bits === 8) {
        bits = 0
        value |= bytes[at] ?? 0
        at += 1
      }
    }
    return isSet ? 1 : 0
  }
  const literal = (count: number): number => {
    let number = 0
    for (let i = 0; i < count; i += 1) number = (number << 1) | bit()
    return number
  }
  /** A flag. If it is set, a magnitude with its sign; 0 otherwise. */
  const optional = (count: number): number => {
    if (bit() === 0) return 0
    const magnitude = literal(count)
    return bit() === 1 ? -magnitude : magnitude
  }
  return { bit, literal, optional }
}

const times = <T>(count: number, read: () => T): T[] => Array.from({ length: count }, read)

interface Segmentation {
  readonly isAbsolute: boolean
  readonly quantisers: readonly number[]
}

const readSegmentation = ({ bit, literal, optional }: ReturnType<typeof openBooleans>): Segmentation | undefined => {
  if (bit() === 0) return undefined
  const [hasMap, hasData] = [bit(), bit()]
  const isAbsolute = hasData === 1 && bit() === 1
  const quantisers = hasData === 1 ? times(VP8.segments, () => optional(7)) : []
  if (hasData === 1) times(VP8.segments, () => optional(6))
  if (hasMap === 1) times(VP8.segments - 1, () => (bit() === 1 ? literal(8) : 0))
  return hasData === 1 ? { isAbsolute, quantisers } : undefined
}

/** The mean quantiser index of the segments, 0 (finest) to 127. `frame`: a key frame from its tag on; 100 bytes are enough. */
export const quantiserOfVp8 = (frame: Uint8Array): number => {
  const reader = openBooleans(frame.subarray(VP8.headerBytes))
  const { bit, literal, optional } = reader
  literal(2) // colour space, clamping
  const segmentation = readSegmentation(reader)
  literal(1 + 6 + 3) // loop filter: type, level, sharpness
  if (bit() === 1 && bit() === 1) times(2 * VP8.segments, () => optional(6))
  literal(2) // partitions
  const base = literal(7)
  if (segmentation === undefined) return base
  const { isAbsolute, quantisers } = segmentation
  const indices = quantisers.map((own) => Math.min(VP8.maxIndex, Math.max(0, isAbsolute ? own : base + own)))
  return indices.reduce((sum, index) => sum + index, 0) / VP8.segments
}
