/** Runs a small convolutional network in kernels/network. Its graph and the layout of its memory are data of the model file. */
import type { Model, NetworkStep, StepFilters, TensorFields } from './model.ts'
import type { NetworkExports } from './network-exports.ts'

/** A network that is ready to run. */
export interface Network {
  /** Runs on RGB bytes of the input's size. Returns the samples of the outputs by name, channels last. */
  run(bytes: Uint8Array): Readonly<Record<string, Float32Array>>
}

/** Bytes of a page of WebAssembly's memory. */
const PAGE = 65536
/** Bytes of a cache line; data aligned to it loads fastest. */
const LINE = 64
/** Numbers of the kinds and activations in the kernel, by position. */
const KINDS = ['direct', 'winograd', 'depthwise', 'max-pool', 'resize'] as const
const ACTIVATIONS = ['none', 'relu', 'leaky'] as const

/** Allocates memory of a kernel, and grows it; new memory is zero. */
interface Arena {
  readonly kernel: NetworkExports
  take(bytes: number): number
  /** Allocates and fills. */
  put(values: Uint32Array | Float32Array): number
}

const openArena = (kernel: NetworkExports): Arena => {
  let next = kernel.freeAddress()
  const take = (bytes: number): number => {
    const at = next
    next = (at + bytes + LINE - 1) & -LINE
    const missing = next - kernel.memory.buffer.byteLength
    if (missing > 0) kernel.memory.grow(Math.ceil(missing / PAGE))
    return at
  }
  const put = (values: Uint32Array | Float32Array): number => {
    const at = take(values.byteLength)
    new Uint8Array(kernel.memory.buffer, at).set(new Uint8Array(values.buffer))
    return at
  }
  return { kernel, take, put }
}

/** Lays a model out in the memory of a kernel instance, which no other network may use. The weights are not retained. */
export const openNetwork = (model: Model, kernel: NetworkExports): Network => {
  const { tensors, steps, outputs } = model
  const arena = openArena(kernel)
  const base = arena.take(model.bytes)
  const descriptors = tensors.map(([start, ...rest]) => arena.put(Uint32Array.of(base + start, ...rest)))
  const list = putSteps(model, descriptors, arena)
  const scratch = arena.take(kernel.scratchBytes())
  const scaling = arena.put(Float32Array.of(...model.scale, ...model.shift))
  const [, , , width, height] = tensors[0]!
  const staging = arena.take(width * height * 3)
  const first = model.order === 'rgb' ? 0 : 2
  return {
    run: (bytes) => {
      new Uint8Array(kernel.memory.buffer).set(bytes, staging)
      kernel.fill(descriptors[0]!, staging, scaling, first)
      kernel.run(list, steps.length, scratch)
      const samples = new Float32Array(kernel.memory.buffer, base)
      const copies = Object.entries(outputs).map(
        ([name, { tensor, channels }]) => [name, copyTensor(samples, tensors[tensor]!, channels)] as const,
      )
      return Object.fromEntries(copies)
    },
  }
}

/** Samples of a step's filters in the model file. */
const filterSamples = ({ size, filters }: NetworkStep): number =>
  filters === undefined ? 0 : size * size * filters.inputs * filters.outputs

/** Writes the steps with their filters, for tensors whose descriptors have these addresses. Returns the address of the list. */
const putSteps = (model: Model, tensors: readonly number[], arena: Arena): number => {
  const { weights, steps } = model
  const stored = arena.take(Math.max(...steps.map(filterSamples)) * 4)
  const put = (step: NetworkStep): number => {
    const { kind, activation, size, stride, filters, input, output, added } = step
    const packed = filters === undefined ? 0 : arena.take(filters.packed * 4)
    const bias = filters === undefined ? 0 : arena.put(biasOf(filters, weights, model.tensors[output]!))
    const operands = [packed, bias, tensors[input]!, tensors[output]!, added === undefined ? 0 : tensors[added]!]
    const at = arena.put(
      Uint32Array.of(KINDS.indexOf(kind), ACTIVATIONS.indexOf(activation), size, stride, ...operands),
    )
    if (filters === undefined) return at
    const samples = weights.subarray(filters.at, filters.at + filterSamples(step))
    new Float32Array(arena.kernel.memory.buffer, stored).set(samples)
    arena.kernel.pack(at, stored, filters.inputs, filters.outputs)
    return at
  }
  return arena.put(Uint32Array.from(steps, put))
}

/** The bias, padded to the channels of the output, which are whole panels. */
const biasOf = ({ bias, outputs }: StepFilters, weights: Float16Array, output: TensorFields): Float32Array => {
  const [, , , , , channels] = output
  const padded = new Float32Array(channels)
  padded.set(weights.subarray(bias, bias + outputs))
  return padded
}

/** A copy of a tensor's samples: rows > columns > channels, without padding. */
const copyTensor = (memory: Float32Array, fields: TensorFields, channels: number): Float32Array => {
  const [start, row, pixel, width, height] = fields
  const copy = new Float32Array(width * height * channels)
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0; x < width; x++, to += channels) {
      const from = (start + y * row + x * pixel) / 4
      copy.set(memory.subarray(from, from + channels), to)
    }
  }
  return copy
}
