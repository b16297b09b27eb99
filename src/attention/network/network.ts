/** Runs a small convolutional network in kernels/network. Its graph and the layout of its memory are data of the model file. */
import type { NetworkKernel } from './kernel.ts'
import type { Model, NetworkStep, StepFilters, TensorFields } from './model.ts'

/** A network that is ready to run. */
export interface Network {
  /** Runs on RGB bytes of the input's size. Returns the samples of the outputs by name, channels last. */
  run(bytes: Uint8Array): Readonly<Record<string, Float32Array>>
}

/** Bytes of a page of WebAssembly's memory. */
const PAGE = 65536
/** Bytes of a cache line; data aligned to it loads fastest. */
const LINE = 64
/** Output channels that the kernel computes together. */
const PANEL = 16
/** Numbers of the kinds and activations in the kernel, by position. */
const KINDS = ['direct', 'winograd', 'depthwise', 'max-pool', 'resize'] as const
const ACTIVATIONS = ['none', 'relu', 'leaky'] as const

/** Allocates memory of a kernel, and grows it; new memory is zero. */
interface Arena {
  readonly kernel: NetworkKernel
  take(bytes: number): number
  /** Allocates and fills. */
  put(values: Uint32Array | Float32Array): number
}

const openArena = (kernel: NetworkKernel): Arena => {
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

/** Addresses in the memory of a kernel, and what running needs of the model. */
interface Layout extends Pick<Model, 'tensors' | 'outputs'> {
  /** Of all tensors, and of the descriptor of the first. */
  readonly base: number
  readonly input: number
  readonly steps: number
  readonly count: number
  readonly scratch: number
  readonly staging: number
  readonly scaling: number
  /** Index of the byte of a pixel that is the first channel. */
  readonly first: number
}

/** Lays a model out in the memory of a kernel instance, which no other network may use. The weights are not retained. */
export const openNetwork = (model: Model, kernel: NetworkKernel): Network => runIn(kernel, layOut(model, kernel))

const layOut = (model: Model, kernel: NetworkKernel): Layout => {
  const arena = openArena(kernel)
  const base = arena.take(model.bytes)
  const tensors = model.tensors.map(([start, ...rest]) => arena.put(Uint32Array.of(base + start, ...rest)))
  const stored = arena.take(Math.max(...model.steps.map(filterSamples)) * 4)
  const steps = arena.put(Uint32Array.from(model.steps, (step) => putStep(step, { model, tensors, arena, stored })))
  const scratch = arena.take(kernel.scratchBytes())
  const scaling = arena.put(Float32Array.of(...model.scale, ...model.shift))
  const [, , , width, height] = model.tensors[0]!
  const staging = arena.take(width * height * 3)
  const first = model.order === 'rgb' ? 0 : 2
  const { tensors: fields, outputs } = model
  return {
    ...{ base, input: tensors[0]!, steps, count: model.steps.length, scratch, staging, scaling, first },
    ...{ tensors: fields, outputs },
  }
}

const runIn = (kernel: NetworkKernel, layout: Layout): Network => ({
  run: (bytes) => {
    new Uint8Array(kernel.memory.buffer).set(bytes, layout.staging)
    kernel.fill(layout.input, layout.staging, layout.scaling, layout.first)
    kernel.run(layout.steps, layout.count, layout.scratch)
    const samples = new Float32Array(kernel.memory.buffer, layout.base)
    return Object.fromEntries(
      Object.entries(layout.outputs).map(([name, { tensor, channels }]) => [
        name,
        copyTensor(samples, layout.tensors[tensor]!, channels),
      ]),
    )
  },
})

/** Samples of a step's filters in the model file. */
const filterSamples = ({ size, filters }: NetworkStep): number =>
  filters === undefined ? 0 : size * size * filters.inputs * filters.outputs

interface Placing {
  readonly model: Model
  /** Addresses of the tensors' descriptors. */
  readonly tensors: readonly number[]
  readonly arena: Arena
  /** Address of a step's filters as f32 before they are packed. */
  readonly stored: number
}

/** Writes a step with its filters, and returns its address. */
const putStep = (step: NetworkStep, { model, tensors, arena, stored }: Placing): number => {
  const { filters, input, output, added } = step
  const { kernel } = arena
  const weights = filters === undefined ? 0 : arena.take(filters.packed * 4)
  const bias = filters === undefined ? 0 : arena.put(biasOf(filters, model))
  const operands = [weights, bias, tensors[input]!, tensors[output]!, added === undefined ? 0 : tensors[added]!]
  const codes = [KINDS.indexOf(step.kind), ACTIVATIONS.indexOf(step.activation), step.size, step.stride]
  const at = arena.put(Uint32Array.of(...codes, ...operands))
  if (filters === undefined) return at
  const samples = model.weights.subarray(filters.at, filters.at + filterSamples(step))
  new Float32Array(kernel.memory.buffer, stored).set(samples)
  kernel.pack(at, stored, filters.inputs, filters.outputs)
  return at
}

/** The bias, padded to whole panels. */
const biasOf = ({ bias, outputs }: StepFilters, { weights }: Model): Float32Array => {
  const padded = new Float32Array(Math.ceil(outputs / PANEL) * PANEL)
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
