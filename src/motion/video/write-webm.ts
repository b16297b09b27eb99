/**
 * A WebM file of one VP9 track, as short as Chromium plays it, the only player that it was tried in: sizes are as short as they can be, elements
 * with their default value and SeekHead are left out, and Cues stand before the clusters. Bytes: lab/motion.md, "What containers cost".
 * Sources: EBML, RFC 8794; Matroska, RFC 9559; WebM Container Guidelines.
 */

import type { Extent } from '../../core/image.ts'

/** One encoded frame, in the order of showing. */
export interface WebmPacket {
  readonly data: Uint8Array
  readonly isKey: boolean
  /** ms from the start */
  readonly start: number
}

export interface WebmVideo {
  /** px of a frame. Its colours are BT.709 in video range. */
  readonly size: Extent
  readonly packets: readonly WebmPacket[]
  readonly durationMs: number
}

/** A block's time counts from its cluster's, in 16 bits with a sign (RFC 9559, section 10.1). Unit: ms. */
const MAX_BLOCK_MS = 32_767
/** Flag of a SimpleBlock that holds a key frame. */
const KEY_FRAME = 0x80

/** A number in as few bytes as it needs, at least `bytes`. */
const unsigned = (value: number, bytes = 1): Buffer => {
  let needed = bytes
  while (value >= 2 ** (8 * needed)) needed++
  const written = Buffer.alloc(needed)
  written.writeUIntBE(value, 0, needed)
  return written
}

/** The size of an element. All ones would mean that it is unknown. */
const sizeOf = (size: number): Buffer => {
  let bytes = 1
  while (size >= 2 ** (7 * bytes) - 1) bytes++
  return unsigned(2 ** (7 * bytes) + size, bytes)
}

/** Bytes in pieces, which are joined once all are known: frames are not copied into each element around them. */
type Pieces = readonly Uint8Array[]

const lengthOf = (pieces: Pieces): number => pieces.reduce((sum, { length }) => sum + length, 0)

const element = (id: number, ...contents: readonly Pieces[]): Pieces => {
  const pieces = contents.flat()
  return [unsigned(id), sizeOf(lengthOf(pieces)), ...pieces]
}
const number = (id: number, value: number): Pieces => element(id, [unsigned(value)])
const text = (id: number, value: string): Pieces => element(id, [Buffer.from(value, 'latin1')])
const float = (id: number, value: number): Pieces => {
  const written = Buffer.alloc(8)
  written.writeDoubleBE(value)
  return element(id, [written])
}

const header = (): Pieces => element(0x1a45dfa3, text(0x4282, 'webm'), number(0x4287, 4), number(0x4285, 2))

/** Duration, MuxingApp and WritingApp. */
const info = (durationMs: number): Pieces =>
  element(0x1549a966, float(0x4489, durationMs), text(0x4d80, ''), text(0x5741, ''))

const tracks = ({ width, height }: Extent): Pieces => {
  // MatrixCoefficients, TransferCharacteristics, Primaries: BT.709. Range: broadcast.
  const colour = element(0x55b0, ...[0x55b1, 0x55ba, 0x55bb, 0x55b9].map((id) => number(id, 1)))
  const video = element(0xe0, number(0xb0, width), number(0xba, height), colour)
  // TrackNumber, TrackUID, TrackType, Language, CodecID.
  const ids = [number(0xd7, 1), number(0x73c5, 1), number(0x83, 1), text(0x22b59c, 'und'), text(0x86, 'V_VP9')]
  return element(0x1654ae6b, element(0xae, ...ids, video))
}

interface Cluster {
  /** ms */
  readonly start: number
  readonly packets: WebmPacket[]
}

/** A new cluster begins at each key frame, where players may begin, and where times need it. */
const clustersOf = (packets: readonly WebmPacket[]): readonly Cluster[] => {
  const clusters: Cluster[] = []
  for (const packet of packets) {
    const start = Math.round(packet.start)
    const last = clusters.at(-1)
    if (last === undefined || packet.isKey || start - last.start > MAX_BLOCK_MS)
      clusters.push({ start, packets: [packet] })
    else last.packets.push(packet)
  }
  return clusters
}

const simpleBlock = ({ data, isKey, start }: WebmPacket, from: number): Pieces => {
  const head = Buffer.of(0x81, 0, 0, isKey ? KEY_FRAME : 0)
  head.writeInt16BE(Math.round(start) - from, 1)
  return element(0xa3, [head, data])
}

const writeCluster = ({ start, packets }: Cluster): Pieces =>
  element(0x1f43b675, number(0xe7, start), ...packets.map((packet) => simpleBlock(packet, start)))

/** Where the clusters with key frames are: CueTime, CueTrack, CueClusterPosition in `bytes` bytes. */
const cues = (clusters: readonly Cluster[], positions: readonly number[], bytes: number): Pieces => {
  const points = clusters.map(({ start }, i) =>
    element(0xbb, number(0xb3, start), element(0xb7, number(0xf7, 1), element(0xf1, [unsigned(positions[i]!, bytes)]))),
  )
  return element(0x1c53bb6b, ...points.filter((_, i) => clusters[i]!.packets[0]!.isKey))
}

/** The bytes of the file. */
export const writeWebm = ({ size, packets, durationMs }: WebmVideo): Buffer => {
  const clusters = clustersOf(packets)
  const bodies = clusters.map(writeCluster)
  const before = [...info(durationMs), ...tracks(size)]
  const none = clusters.map(() => 0)
  const length = lengthOf([...before, ...cues(clusters, none, 6), ...bodies.flat()])
  const bytes = unsigned(length).length
  let at = lengthOf([...before, ...cues(clusters, none, bytes)])
  const positions = bodies.map((body) => {
    const position = at
    at += lengthOf(body)
    return position
  })
  return Buffer.concat([...header(), ...element(0x18538067, before, cues(clusters, positions, bytes), ...bodies)])
}
