/** Reads the quantiser of an AV1 key frame: base_q_idx (AV1 specification, sections 5.5, 5.9.2, 5.9.15 and 5.9.12). */

import { type Av1BitReader, readBits } from '../../containers/av1/bits.ts'
import { readTileLogs } from '../../containers/av1/headers.ts'
import { UNIT, unitsOf } from '../../containers/av1/units.ts'

/** Value of seq_force_screen_content_tools and of seq_force_integer_mv that leaves the choice to each frame. */
const SELECT = 2

interface Sequence {
  readonly isReduced: boolean
  readonly width: number
  readonly height: number
  readonly sizeBits: readonly [number, number]
  readonly idBits: number
  readonly has128: boolean
  readonly orderBits: number
  readonly screenContent: number
  readonly integerMotion: number
  readonly hasSuperres: boolean
}

/** Tools that a reduced header leaves out. */
const readTools = ({ read, flag }: Av1BitReader) => {
  read(4)
  const hasOrder = flag()
  if (hasOrder) read(2)
  const screenContent = flag() ? SELECT : read(1)
  const integerMotion = screenContent === 0 || flag() ? SELECT : read(1)
  return { screenContent, integerMotion, orderBits: hasOrder ? read(3) + 1 : 0 }
}

/** Skips the operating points. False when timing is present, which stills do not use. */
const skipPoints = ({ read, flag }: Av1BitReader): boolean => {
  if (flag()) return false
  const hasDelay = flag()
  for (let left = read(5); left >= 0; left -= 1) {
    read(12)
    if (read(5) > 7) read(1)
    if (hasDelay && flag()) read(4)
  }
  return true
}

const readSequence = (bytes: Uint8Array): Sequence | undefined => {
  const bits = readBits(bytes)
  const { read, flag } = bits
  read(4) // profile, still picture
  const isReduced = flag()
  if (isReduced) read(5)
  else if (!skipPoints(bits)) return undefined
  const sizeBits = [read(4) + 1, read(4) + 1] as const
  const [width, height] = [read(sizeBits[0]) + 1, read(sizeBits[1]) + 1]
  const hasIds = !isReduced && flag()
  const idBits = hasIds ? read(4) + 2 + read(3) + 1 : 0
  const has128 = flag()
  read(2)
  const tools = isReduced ? { screenContent: SELECT, integerMotion: SELECT, orderBits: 0 } : readTools(bits)
  return { isReduced, width, height, sizeBits, idBits, has128, ...tools, hasSuperres: flag() }
}

/** Skips tile_info (section 5.9.15). False for tiles of unequal size. */
const skipTiles = (bits: Av1BitReader, { has128, width, height }: Sequence): boolean => {
  const logs = readTileLogs(bits, { width, height, superblock: has128 ? 128 : 64 })
  if (logs === undefined) return false
  if (logs.columnsLog + logs.rowsLog > 0) bits.read(2)
  return true
}

/** Skips a key frame's header up to its tiles. False for other frames and for other sizes than the sequence's. */
const skipToTiles = (bits: Av1BitReader, sequence: Sequence): boolean => {
  const { read, flag } = bits
  const { isReduced, screenContent, integerMotion, idBits, sizeBits, orderBits } = sequence
  if (!isReduced && (flag() || read(2) !== 0 /* KEY_FRAME */ || !flag())) return false
  const isFixed = flag()
  const hasScreenContent = screenContent === SELECT ? flag() : screenContent === 1
  if (hasScreenContent && integerMotion === SELECT) flag()
  read(idBits)
  const hasOwnSize = !isReduced && flag()
  read(orderBits)
  if (hasOwnSize) read(sizeBits[0] + sizeBits[1])
  if (sequence.hasSuperres && flag()) return false
  if (flag()) read(32)
  if (hasScreenContent) flag()
  if (!isReduced && !isFixed) flag()
  return true
}

/** base_q_idx of the first frame, 0 (lossless) to 255. undefined when its header has features that stills do not use. */
export const quantiserOfAv1 = (bytes: Uint8Array): number | undefined => {
  let sequence: Sequence | undefined
  for (const { type, content } of unitsOf(bytes)) {
    if (type === UNIT.sequenceHeader) sequence = readSequence(content)
    if (sequence === undefined || (type !== UNIT.frame && type !== UNIT.frameHeader)) continue
    const bits = readBits(content)
    return skipToTiles(bits, sequence) && skipTiles(bits, sequence) ? bits.read(8) : undefined
  }
  return undefined
}
