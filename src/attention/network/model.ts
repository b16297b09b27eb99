import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/** Shape of a tensor; `within` makes it a range of channels of a wider tensor. */
export interface TensorShape {
  readonly width: number
  readonly height: number
  readonly channels: number
  readonly within?: { readonly tensor: number; readonly offset: number }
}

/** An operation on tensors, given by index; `weights` and `bias` are offsets into the model's weights. */
export interface StepShape {
  readonly kind: 'convolve' | 'depthwise' | 'max-pool' | 'resize'
  readonly activation: 'none' | 'relu' | 'leaky' | 'relu6'
  readonly size: number
  readonly stride: number
  /** For 3 x 3 filters with a stride: pads zeros at the right and bottom only, as TensorFlow does for even sides. */
  readonly after?: true
  readonly input: number
  readonly output: number
  readonly added?: number
  readonly weights?: number
  readonly bias?: number
}

/** The JSON header of a model file. It follows 32 bytes of SHA-256 over all the rest, and its length in four bytes. */
interface Header {
  /** Source and licence of the weights. */
  readonly origin: string
  /** Tensor 0 is the input: sample = byte x scale + shift for red, green and blue, in this order or reversed. */
  readonly scale: readonly [number, number, number]
  readonly shift: readonly [number, number, number]
  readonly order: 'rgb' | 'bgr'
  readonly tensors: readonly TensorShape[]
  readonly steps: readonly StepShape[]
  readonly outputs: Readonly<Record<string, number>>
}

/** A network read from a file: its header and its weights in half precision (filters: rows > columns > inputs > outputs). */
export interface Model extends Header {
  readonly weights: Float16Array
}

/** Bytes of the SHA-256 at a file's start. */
const HASH_BYTES = 32
/** Offset of the header, after its length in four bytes. */
const HEADER_AT = HASH_BYTES + 4

const hashOf = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

/** Reads a model file (written by `scripts/convert-models.ts`). Throws if it is missing, truncated or damaged. */
export const readModel = async (file: URL): Promise<Model> => {
  const bytes = await readFile(file)
  if (bytes.length <= HEADER_AT || !hashOf(bytes.subarray(HASH_BYTES)).equals(bytes.subarray(0, HASH_BYTES)))
    throw new Error('its checksum does not match')
  const end = HEADER_AT + bytes.readUInt32LE(HASH_BYTES)
  const header = JSON.parse(bytes.toString('utf8', HEADER_AT, end)) as Header
  const weights = bytes.subarray(end)
  return { ...header, weights: new Float16Array(bytes.buffer, weights.byteOffset, weights.length >> 1) }
}

/** The bytes of a model file. */
export const printModel = (header: Header, weights: Uint8Array): Uint8Array => {
  const text = JSON.stringify(header)
  // The weights begin at an even address, so that they can be read in place.
  const json = Buffer.from(text.padEnd(text.length + (text.length % 2)))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(json.length)
  const rest = Buffer.concat([length, json, weights])
  return Buffer.concat([hashOf(rest), rest])
}
