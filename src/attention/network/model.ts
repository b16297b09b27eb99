import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/** A tensor, as the kernel reads it (kernels/network/layout.ts). `start` counts from the network's memory; lengths are bytes, channels whole panels. */
export type TensorFields = readonly [
  start: number,
  row: number,
  pixel: number,
  width: number,
  height: number,
  channels: number,
]

/** Filters and bias of a step. */
export interface StepFilters {
  /** Offsets into the model's weights. Filters: rows > columns > inputs > outputs. */
  readonly at: number
  readonly bias: number
  /** Channels that a filter sees, and those that it makes, as stored. */
  readonly inputs: number
  readonly outputs: number
  /** Samples of the filters as the kernel packs them. */
  readonly packed: number
}

/** An operation on tensors, given by index. */
export interface NetworkStep {
  readonly kind: 'direct' | 'winograd' | 'depthwise' | 'max-pool' | 'resize'
  readonly activation: 'none' | 'relu' | 'leaky'
  readonly size: number
  readonly stride: number
  readonly input: number
  readonly output: number
  readonly added?: number
  readonly filters?: StepFilters
}

/** The JSON header of a model file. It follows 32 bytes of SHA-256 over all the rest, and its length in four bytes. */
export interface ModelHeader {
  /** Source and licence of the weights. */
  readonly origin: string
  /** Tensor 0 is the input: sample = byte x scale + shift for red, green and blue, in this order or reversed. */
  readonly scale: readonly [number, number, number]
  readonly shift: readonly [number, number, number]
  readonly order: 'rgb' | 'bgr'
  /** Bytes of memory for all tensors. */
  readonly bytes: number
  readonly tensors: readonly TensorFields[]
  readonly steps: readonly NetworkStep[]
  /** Tensors by name, with their channels that are in use. */
  readonly outputs: Readonly<Record<string, { readonly tensor: number; readonly channels: number }>>
}

/** A network read from a file: its header and its weights in half precision. */
export interface Model extends ModelHeader {
  readonly weights: Float16Array
}

/** Offsets in a model file (`scripts/models/print-model.ts`): the SHA-256 of all the rest, the header's length in four bytes, the header. */
const OFFSET = { length: 32, header: 36 } as const

/** The SHA-256 of a file's bytes after the first 32. */
export const hashOfModel = (rest: Uint8Array): Buffer => createHash('sha256').update(rest).digest()

/** Reads a model file (written by `scripts/models/convert.ts`). Throws if it is missing, truncated or damaged. */
export const readModel = async (file: URL): Promise<Model> => {
  const bytes = await readFile(file)
  if (
    bytes.length <= OFFSET.header ||
    !hashOfModel(bytes.subarray(OFFSET.length)).equals(bytes.subarray(0, OFFSET.length))
  )
    throw new Error('its checksum does not match')
  const end = OFFSET.header + bytes.readUInt32LE(OFFSET.length)
  const header = JSON.parse(bytes.toString('utf8', OFFSET.header, end)) as ModelHeader
  const weights = bytes.subarray(end)
  return { ...header, weights: new Float16Array(bytes.buffer, weights.byteOffset, weights.length >> 1) }
}
