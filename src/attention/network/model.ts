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
  readonly activation: 'none' | 'relu' | 'leaky'
  readonly size: number
  readonly stride: number
  readonly input: number
  readonly output: number
  readonly added?: number
  readonly weights?: number
  readonly bias?: number
}

/** What stands at the head of a model file, as JSON after four bytes that hold its length. */
interface Header {
  /** Where the weights come from, and under which licence. */
  readonly origin: string
  /** Of the bytes of the weights. */
  readonly sha256: string
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

/** Reads a model file (`scripts/convert-models.ts` writes it). Throws when it is missing, cut or damaged. */
export const readModel = async (file: URL): Promise<Model> => {
  const bytes = await readFile(file)
  const length = bytes.readUInt32LE(0)
  const header = JSON.parse(bytes.toString('utf8', 4, 4 + length)) as Header
  const weights = bytes.subarray(4 + length)
  if (createHash('sha256').update(weights).digest('hex') !== header.sha256)
    throw new Error('its checksum does not match')
  return { ...header, weights: new Float16Array(bytes.buffer, weights.byteOffset, weights.length >> 1) }
}

/** The bytes of a model file. */
export const printModel = (header: Omit<Header, 'sha256'>, weights: Uint8Array): Uint8Array => {
  const sha256 = createHash('sha256').update(weights).digest('hex')
  const text = JSON.stringify({ ...header, sha256 })
  // Halves begin at an even address, so that they can be read where they lie.
  const json = Buffer.from(text.padEnd(text.length + (text.length % 2)))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(json.length)
  return Buffer.concat([length, json, weights])
}
