/** Headers of a still AV1 frame (AV1 specification, sections 5.5 and 5.9), as libaom writes those of an AVIF. */

import type { Extent } from '../../core/image.ts'
import { type Av1BitReader, readBits } from './bits.ts'
import { type Blocks, columnLogs, type LogBounds, rowLogs, TILES, type TileLayout } from './tile-layout.ts'

/** Bits of an element: where it begins, and where the next one does. */
export interface BitRange {
  readonly from: number
  readonly to: number
}

/** The part of a sequence header that the frame header depends on. */
export interface SequenceHeader extends Extent {
  /** Side of a superblock in px. */
  readonly superblock: 64 | 128
  readonly hasCdef: boolean
  readonly hasRestoration: boolean
  readonly planes: 1 | 3
  readonly separateChromaQuantisers: boolean
  /** The level and the size: what differs between a tile and the whole. */
  readonly sized: BitRange
  readonly end: number
}

const require = (isTrue: boolean, what: string): void => {
  if (!isTrue) throw new Error(`An AV1 still with ${what}`)
}

/** color_config (section 5.5.2). */
const readColours = ({ read, flag, skip }: Av1BitReader, profile: number) => {
  require(profile < 2, 'a professional profile')
  skip(1)
  const isMonochrome = profile !== 1 && flag()
  const isDescribed = flag()
  if (isDescribed) skip(16)
  require(!(isDescribed && read(8) === 0), 'colours as red, green and blue')
  skip(1)
  if (isMonochrome) return { planes: 1, separateChromaQuantisers: false } as const
  if (profile === 0) skip(2)
  return { planes: 3, separateChromaQuantisers: flag() } as const
}

/** Reads the header of a still picture, which is a reduced one. Throws for others. */
export const readSequenceHeader = (bytes: Uint8Array): SequenceHeader => {
  const bits = readBits(bytes)
  const { at, read, flag } = bits
  const profile = read(3)
  require(flag() && flag(), 'a full sequence header')
  const from = at()
  read(5)
  const [widthBits, heightBits] = [read(4) + 1, read(4) + 1]
  const [width, height] = [read(widthBits) + 1, read(heightBits) + 1]
  const sized = { from, to: at() }
  const superblock = flag() ? 128 : 64
  read(2)
  require(!flag(), 'super-resolution')
  const [hasCdef, hasRestoration] = [flag(), flag()]
  const colours = readColours(bits, profile)
  require(!flag(), 'film grain')
  return { width, height, superblock, hasCdef, hasRestoration, ...colours, sized, end: at() }
}

/** A key frame's header. */
export interface KeyFrameHeader {
  readonly tileInfo: BitRange
  readonly layout: TileLayout
  /** Levels and strengths of the filters between blocks, which tiles share. */
  readonly filters: readonly BitRange[]
  readonly end: number
}

/** Bits of each feature of one of the 8 segments, with its sign (section 5.9.14). */
const SEGMENT_FEATURES = [9, 7, 7, 7, 7, 3, 0, 0]

/** A number of six bits with a sign, where there is one. */
const skipDelta = ({ flag, skip }: Av1BitReader): void => {
  if (flag()) skip(7)
}

/** quantization_params (section 5.9.12). */
const skipQuantisers = (bits: Av1BitReader, { planes, separateChromaQuantisers }: SequenceHeader): void => {
  const { read, flag, skip } = bits
  require(read(8) > 0, 'no loss')
  skipDelta(bits)
  if (planes > 1) {
    const deltas = separateChromaQuantisers && flag() ? 4 : 2
    for (let left = deltas; left > 0; left -= 1) skipDelta(bits)
  }
  if (flag()) skip(separateChromaQuantisers ? 12 : 8)
}

const skipSegments = ({ flag, skip }: Av1BitReader): void => {
  if (!flag()) return
  for (let segment = 0; segment < 8; segment += 1) for (const bits of SEGMENT_FEATURES) if (flag()) skip(bits)
}

/** delta_q_params and delta_lf_params. */
const skipBlockDeltas = ({ flag, skip }: Av1BitReader): void => {
  if (!flag()) return
  skip(2)
  if (flag()) skip(3)
}

/** loop_filter_params (section 5.9.11). Its levels and its sharpness are a filter. */
const readDeblocking = (bits: Av1BitReader, { planes }: SequenceHeader): BitRange => {
  const { at, read, flag, skip } = bits
  const from = at()
  const levels = read(6) + read(6)
  if (planes > 1 && levels > 0) skip(12)
  skip(3)
  const filter = { from, to: at() }
  const hasDeltas = flag() && flag()
  // Eight by reference, two by mode.
  for (let left = hasDeltas ? 10 : 0; left > 0; left -= 1) skipDelta(bits)
  return filter
}

/** cdef_params (section 5.9.19): its strengths are a filter, their number is not. */
const readCdef = ({ at, read, skip }: Av1BitReader, { hasCdef, planes }: SequenceHeader): BitRange => {
  if (!hasCdef) return { from: at(), to: at() }
  skip(2)
  const strengths = 1 << read(2)
  const from = at()
  skip(strengths * (planes > 1 ? 12 : 6))
  return { from, to: at() }
}

/** Reads the logarithms in tile_info (section 5.9.15); undefined for tiles of unequal size. */
export const readTileLogs = (
  { flag, skip }: Av1BitReader,
  frame: Blocks,
): Pick<TileLayout, 'columnsLog' | 'rowsLog'> | undefined => {
  if (!flag()) return undefined
  const readLog = ({ min, max }: LogBounds): number => {
    let log = min
    while (log < max && flag()) log += 1
    return log
  }
  const columnsLog = readLog(columnLogs(frame))
  const rowsLog = readLog(rowLogs(frame, columnsLog))
  skip(columnsLog + rowsLog)
  return { columnsLog, rowsLog }
}

/** tile_info. */
const readTileInfo = (bits: Av1BitReader, sequence: SequenceHeader): Pick<KeyFrameHeader, 'tileInfo' | 'layout'> => {
  const from = bits.at()
  const logs = readTileLogs(bits, sequence)
  if (logs === undefined) throw new Error('An AV1 still with tiles of unequal size')
  if (logs.columnsLog + logs.rowsLog > 0) require(bits.read(2) === TILES.lengthBytes - 1, 'short lengths of tiles')
  const { width, height, superblock } = sequence
  return { tileInfo: { from, to: bits.at() }, layout: { width, height, superblock, ...logs } }
}

/** Reads the header of a key frame. Throws where it has what our encoders do not use, or what cannot be joined. */
export const readKeyFrameHeader = (bytes: Uint8Array, sequence: SequenceHeader): KeyFrameHeader => {
  const bits = readBits(bytes)
  const { at, flag, skip, read } = bits
  skip(1)
  const hasScreenTools = flag()
  if (hasScreenTools) skip(1)
  require(!flag(), 'a size to be shown at')
  require(!(hasScreenTools && flag()), 'copies within the frame')
  const tiles = readTileInfo(bits, sequence)
  skipQuantisers(bits, sequence)
  skipSegments(bits)
  skipBlockDeltas(bits)
  const filters = [readDeblocking(bits, sequence), readCdef(bits, sequence)]
  if (sequence.hasRestoration) require(read(2 * sequence.planes) === 0, 'loop restoration')
  // Whether blocks may have smaller transforms, and whether fewer kinds of them.
  skip(2)
  return { ...tiles, filters, end: at() }
}
