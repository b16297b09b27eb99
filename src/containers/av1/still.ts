/** A still AV1 image taken apart into its headers and its tiles. */
import { type KeyFrameHeader, readKeyFrameHeader, readSequenceHeader, type SequenceHeader } from './headers.ts'
import { columnsOf, rowsOf, TILES } from './tile-layout.ts'
import { UNIT, unitsOf } from './units.ts'

export interface StillAv1 {
  readonly sequence: SequenceHeader
  readonly sequenceBytes: Uint8Array
  readonly header: KeyFrameHeader
  readonly frameBytes: Uint8Array
  /** The coded tiles, in rows. */
  readonly tiles: readonly Uint8Array[]
}

/** The tiles after a frame's header (section 5.11.1): all but the last with their length. */
const tilesIn = (bytes: Uint8Array, count: number): readonly Uint8Array[] => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const tiles: Uint8Array[] = []
  // Among several tiles the first byte says that all of them follow.
  let at = count > 1 ? 1 : 0
  while (tiles.length < count - 1) {
    const length = view.getUint32(at, true) + 1
    at += TILES.lengthBytes
    tiles.push(bytes.subarray(at, at + length))
    at += length
  }
  return [...tiles, bytes.subarray(at)]
}

/** Throws for a still that has what our encoders do not use. */
export const openStill = (coded: Uint8Array): StillAv1 => {
  const contentOf = (type: number): Uint8Array => {
    const [content, ...more] = [...unitsOf(coded)].flatMap((unit) => (unit.type === type ? [unit.content] : []))
    if (content === undefined || more.length > 0) throw new Error('An AV1 still of other units')
    return content
  }
  const [sequenceBytes, frameBytes] = [contentOf(UNIT.sequenceHeader), contentOf(UNIT.frame)]
  const sequence = readSequenceHeader(sequenceBytes)
  const header = readKeyFrameHeader(frameBytes, sequence)
  const count = columnsOf(header.layout).length * rowsOf(header.layout).length
  return {
    sequence,
    sequenceBytes,
    header,
    frameBytes,
    tiles: tilesIn(frameBytes.subarray(Math.ceil(header.end / 8)), count),
  }
}
