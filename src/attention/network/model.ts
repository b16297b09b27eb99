import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/** Shape of a tensor; `within` places it in a run of channels of a wider one. */
export interface TensorShape {
  readonly width: number
  readonly height: number
  readonly channels: number
  readonly within?: { readonly tensor: number; readonly offset: number }
}

/** One operation on tensors, which are named by their index; `weights` and `bias` are offsets into the model's weights. */
export interface StepShape {
  readonly kind: 'convolve' | 'depthwise' | 'max-pool' | 'resize'
  readonly activation: 'none' | 'relu' | 'leaky' | 'relu6'
  readonly size: number
  readonly stride: number
  /** Of 3 x 3 filters that skip pixels: zeros are read at the right and bottom alone, as TensorFlow pads an even side. */
  readonly after?: true
  readonly input: number
  readonly output: number
  readonly added?: number
  readonly weights?: number
  readonly bias?: number
}

/** What stands at the head of a model file, as JSON: after 32 bytes of SHA-256 of all that follows, and four that hold its length. */
interface Header {
  /** Where the weights come from, and under which licence. */
  readonly origin: string
  /** Tensor 0 is the input: of red, green and blue, sample = byte x scale + shift, in this order or reversed. */
  readonly scale: readonly [number, number, number]
  readonly shift: readonly [number, number, number]
  readonly order: 'rgb' | 'bgr'
  readonly tensors: readonly TensorShape[]
  readonly steps: readonly StepShape[]
  readonly outputs: Readonly<Record<string, number>>
}

/** A network read from a file: its header and its weights as halves (filters: rows > columns > inputs > outputs). */
export interface Model extends Header {
  readonly weights: Float16Array
}

const HASH_BYTES = 32
const HEADER_AT = HASH_BYTES + 4

const hashOf = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

/** Reads a model file (`scripts/convert-models.ts` writes it). Throws when it is missing, cut or damaged, in whatever part. */
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
  // Halves begin at an even address, so that they can be read where they lie.
  const json = Buffer.from(text.padEnd(text.length + (text.length % 2)))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(json.length)
  const rest = Buffer.concat([length, json, weights])
  return Buffer.concat([hashOf(rest), rest])
}
