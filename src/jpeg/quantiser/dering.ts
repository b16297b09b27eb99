import type { Frame } from '../bitstream/frame.ts'
import { allocate, bytesAt, floatsAt, KERNEL_BYTES, type Kernel } from '../kernel.ts'
import { quantTablesAt, type Subsampling } from './quant-tables.ts'

/** Luma blocks that are partly white, black or outside the picture, with their transforms as they were, in the kernel's memory. */
export interface ClippedBlocks {
  readonly records: number
  readonly count: number
  readonly kept: number
  readonly thresholds: number
  fitted: number | undefined
}

/** Lists the blocks with samples that need not be met exactly, from the pixels at `from`, for `keepClipped`. */
export const listClipped = (kernel: Kernel, frame: Frame, from: number, channels: number): Uint8Array => {
  const { widthInBlocks, heightInBlocks } = frame.components[0]!
  const before = kernel.mark()
  const out = allocate(kernel, widthInBlocks * heightInBlocks * KERNEL_BYTES.deringRecord)
  const count = kernel.listClipped(from, channels, frame.width, frame.height, out)
  const list = bytesAt(kernel, out, count * KERNEL_BYTES.deringRecord).slice()
  kernel.release(before)
  return list
}

/** Takes the listed blocks' transforms out of luma's `dct` into memory that stays. */
export const keepClipped = (kernel: Kernel, list: Uint8Array, dct: number): ClippedBlocks => {
  const count = list.length / KERNEL_BYTES.deringRecord
  const records = allocate(kernel, list.length + 16)
  const kept = allocate(kernel, count * 256 + 16)
  const thresholds = allocate(kernel, 256)
  bytesAt(kernel, records, list.length).set(list)
  const places = new Uint32Array(list.buffer, list.byteOffset, list.length / 4)
  for (let n = 0; n < count; n++) {
    const from = dct + places[(n * KERNEL_BYTES.deringRecord) / 4]! * 256
    bytesAt(kernel, kept + n * 256, 256).set(bytesAt(kernel, from, 256))
  }
  return { records, count, kept, thresholds, fitted: undefined }
}

/** Thresholds of the first and the last iteration, in steps; iterations; code values beyond white and black. Measured: lab/jpeg-encoder.md. */
const [FIRST_THRESHOLD, LAST_THRESHOLD, TURNS, MAX_OVERSHOOT] = [1.6, 0.4, 6, 60]

/** At fine tables DC's step may be 1, and DC must stay what eight bits hold. */
const DC_BOUND = {
  /** Quality from which that holds. */
  fromQuality: 85,
  /** 1023 less a margin for the DC offsets that keep luminance. */
  limit: 1016,
} as const

/** Lets the clipped samples overshoot so that the blocks are cheap at `quality`, rounded to tens. */
export const dering = (
  kernel: Kernel,
  free: ClippedBlocks,
  dct: number,
  quality: number,
  subsampling: Subsampling,
): void => {
  const tens = Math.max(-30, Math.min(90, Math.round(quality / 10) * 10))
  if (free.count === 0 || free.fitted === tens) return
  floatsAt(kernel, free.thresholds, 64).set(quantTablesAt(tens, subsampling)[0])
  const limit = tens >= DC_BOUND.fromQuality ? DC_BOUND.limit : Number.MAX_VALUE
  const { records, count, kept, thresholds } = free
  const block = { records, count, kept, dct, thresholds, limit }
  kernel.dering({ ...block, first: FIRST_THRESHOLD, last: LAST_THRESHOLD, turns: TURNS, most: MAX_OVERSHOOT })
  free.fitted = tens
}
