import { deflateSync } from 'node:zlib'
import { writePng, writePngChunk, writePngHeader } from '../../containers/png.ts'
import type { Box, Extent } from '../../core/image.ts'
import { changedBox, cutCells, cutHoles, type PixelCells } from './cells.ts'
import { filterRows } from './filter-rows.ts'
import type { PixelFormat } from './pixel-format.ts'

/** An animation whose frames lie one behind the other in `cells`. */
export interface CellAnimation extends Extent {
  readonly cells: PixelCells
  /** ms, one a frame. */
  readonly delays: readonly number[]
  /** Plays in all, 0 = for ever. */
  readonly plays: number
}

/** A frame as it is stored. */
interface StoredFrame {
  readonly box: Box
  readonly over: boolean
  readonly data: Buffer
  ms: number
}

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** Rows, and about how many bytes they deflate to. */
interface Packed {
  readonly rows: Uint8Array
  readonly bytes: number
}

/** Ranks two ways of writing rows like BEST does, in a fifth of the time. */
const TRIAL = { level: 5 }
const BEST = { level: 9, memLevel: 9 }

const tryRows = (rows: Uint8Array): Packed => ({ rows, bytes: deflateSync(rows, TRIAL).length })

/** Rows filtered or not, whichever is smaller: palettes are better off without, photographs with. */
const packCells = (cells: PixelCells, width: number, format: PixelFormat): Packed => {
  const rows = format.pack(cells, width)
  const plain = tryRows(rows)
  if (format.depth < 8) return plain
  const stride = rows.length / (cells.length / width)
  const filtered = tryRows(filterRows({ bytes: rows, stride, back: format.filterBytes }))
  return filtered.bytes < plain.bytes ? filtered : plain
}

/** Stores the change from one frame to the next, replaced or laid over, whichever is smaller. */
const storeChange = (before: PixelCells, after: PixelCells, { width }: Extent, box: Box, format: PixelFormat) => {
  const whole = packCells(cutCells(after, width, box), box.width, format)
  const { hole, isOpaque } = format
  const cells = hole === undefined ? undefined : cutHoles(before, after, { width, box, hole, isOpaque })
  const laid = cells === undefined ? undefined : packCells(cells, box.width, format)
  const over = laid !== undefined && laid.bytes < whole.bytes
  return { over, data: deflateSync(over ? laid.rows : whole.rows, BEST) }
}

/** Frames without repetition: one that shows what the one before it shows is only shown longer. */
const storeFrames = (
  animation: CellAnimation,
  format: PixelFormat,
  isLate: () => boolean,
): StoredFrame[] | undefined => {
  const { width, height, cells, delays } = animation
  const frameAt = (i: number): PixelCells => cells.subarray(i * width * height, (i + 1) * width * height)
  const stored: StoredFrame[] = []
  for (const [i, ms] of delays.entries()) {
    if (isLate()) return undefined
    const whole = { left: 0, top: 0, width, height }
    const box = i === 0 ? whole : changedBox(frameAt(i - 1), frameAt(i), animation)
    const last = stored.at(-1)
    if (box === undefined && last !== undefined) last.ms += ms
    else if (i === 0) {
      const data = deflateSync(packCells(frameAt(0), width, format).rows, BEST)
      stored.push({ box: whole, over: false, data, ms })
    } else stored.push({ box: box!, ...storeChange(frameAt(i - 1), frameAt(i), animation, box!, format), ms })
  }
  return stored
}

/** A delay as a fraction of 16 bits each: thousandths of a second, else hundredths. */
const delayBytes = (ms: number): Buffer => {
  const rounded = Math.round(ms)
  const [over, under] = rounded <= 65_535 ? [rounded, 1000] : [Math.min(65_535, Math.round(ms / 10)), 100]
  return Buffer.concat([u32(over).subarray(2), u32(under).subarray(2)])
}

const controlOf = ({ box, over, ms }: StoredFrame, sequence: number): Buffer =>
  writePngChunk(
    'fcTL',
    Buffer.concat([
      ...[sequence, box.width, box.height, box.left, box.top].map(u32),
      delayBytes(ms),
      Buffer.of(0, over ? 1 : 0),
    ]),
  )

/** Result of {@link writeApng}. */
export interface WrittenApng {
  readonly bytes: Buffer
  readonly frames: number
}

/** Writes an APNG of what changes from frame to frame (PNG specification, third edition, section 11.3.6); undefined when `isLate` says so meanwhile. */
export const writeApng = (
  animation: CellAnimation,
  format: PixelFormat,
  isLate: () => boolean = () => false,
): WrittenApng | undefined => {
  const { plays } = animation
  const stored = storeFrames(animation, format, isLate)
  if (stored === undefined) return undefined
  let sequence = 0
  const frames = stored.flatMap((frame, i) => {
    const control = controlOf(frame, sequence++)
    const data =
      i === 0 ? writePngChunk('IDAT', frame.data) : writePngChunk('fdAT', Buffer.concat([u32(sequence++), frame.data]))
    return [control, data]
  })
  const control = writePngChunk('acTL', Buffer.concat([u32(stored.length), u32(plays)]))
  const bytes = writePng([writePngHeader(animation, format), control, ...format.chunks, ...frames])
  return { bytes, frames: stored.length }
}
