import type { Frame } from '../bitstream/frame.ts'
import { allocate, bytesAt, floatsAt, type Kernel } from '../kernel.ts'
import { type Subsampling, stepsAt } from './tables.ts'

/** Luma blocks that are partly white, black or outside the picture, with their transforms as they were, in the kernel's memory. */
export type FreeBlocks = {
  records: number
  count: number
  kept: number
  thresholds: number
  fitted: number | undefined
}

const recordBytes = 32

/** Lists the blocks with samples that need not be met exactly, from the pixels at `from`, for `keepFree`. */
export const listFree = (kernel: Kernel, frame: Frame, from: number, channels: number): Uint8Array => {
  const { wide, high } = frame.components[0]!
  const before = kernel.mark()
  const out = allocate(kernel, wide * high * recordBytes)
  const count = kernel.listFree(from, channels, frame.width, frame.height, out)
  const list = bytesAt(kernel, out, count * recordBytes).slice()
  kernel.release(before)
  return list
}

/** Takes the listed blocks' transforms out of luma's `dct` into memory that stays. */
export const keepFree = (kernel: Kernel, list: Uint8Array, dct: number): FreeBlocks => {
  const count = list.length / recordBytes
  const records = allocate(kernel, list.length + 16)
  const kept = allocate(kernel, count * 256 + 16)
  const thresholds = allocate(kernel, 256)
  bytesAt(kernel, records, list.length).set(list)
  const places = new Uint32Array(list.buffer, list.byteOffset, list.length / 4)
  for (let n = 0; n < count; n++) {
    const from = dct + places[(n * recordBytes) / 4]! * 256
    bytesAt(kernel, kept + n * 256, 256).set(bytesAt(kernel, from, 256))
  }
  return { records, count, kept, thresholds, fitted: undefined }
}

/** What is dropped in the first turn and in the last, in steps; how often; code values beyond white and black: docs/jpeg-encoder.md. */
const [first, last, turns, most] = [1.6, 0.4, 6, 60]

/** From here on DC's step may be 1, and DC must stay what eight bits hold, with room for the shifts that keep light. */
const finest = 85
const dcLimit = 1016

/** Lets the free samples run over so that the blocks are cheap at `quality`, of which tens are told apart. */
export const dering = (
  kernel: Kernel,
  free: FreeBlocks,
  dct: number,
  quality: number,
  subsampling: Subsampling,
): void => {
  const tens = Math.max(-30, Math.min(90, Math.round(quality / 10) * 10))
  if (free.count === 0 || free.fitted === tens) return
  floatsAt(kernel, free.thresholds, 64).set(stepsAt(tens, subsampling)[0])
  const limit = tens >= finest ? dcLimit : Number.MAX_VALUE
  kernel.dering(free.records, free.count, free.kept, dct, free.thresholds, first, last, turns, most, limit)
  free.fitted = tens
}
