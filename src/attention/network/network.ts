import type { NetworkKernel } from './kernel.ts'
import type { Model, StepShape, TensorShape } from './model.ts'
import { ownersOf } from './owners.ts'

/** A network that is ready to run. */
export interface Network {
  /** Runs on RGB bytes of the input's size. Returns the samples of the outputs by name, channels last. */
  run(bytes: Uint8Array): Readonly<Record<string, Float32Array>>
}

/** Zero pixels before a tensor, which the kernel's convolutions read as padding: see kernels/network/layout.ts. */
const BEFORE = 1
/** Zero pixels before and behind it. */
const BORDER = 3
/** Output channels that the kernel computes together. */
const PANEL = 16
/** Bytes of a page of WebAssembly's memory. */
const PAGE = 65536
/** Bytes of a cache line; data aligned to it loads fastest. */
const LINE = 64
const KINDS = { direct: 0, winograd: 1, depthwise: 2, 'max-pool': 3, resize: 4 } as const
const ACTIVATIONS = { none: 0, relu: 1, leaky: 2, relu6: 3 } as const
/** Bytes of the kernel's `Tensor`. */
const TENSOR_BYTES = 24
/** Bytes of the kernel's `Step`. */
const STEP_BYTES = 36

/** Allocates memory of a kernel, and grows it; new memory is zero. */
interface Arena {
  readonly kernel: NetworkKernel
  take(bytes: number): number
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
  return { kernel, take }
}

/** A tensor in memory. */
interface PlacedTensor {
  /** Address of the descriptor that steps refer to. */
  readonly descriptor: number
  readonly start: number
  readonly row: number
  readonly pixel: number
  readonly shape: TensorShape
}

const roundUp = (value: number, to: number): number => Math.ceil(value / to) * to

/** Addresses in the memory of a kernel. */
interface Layout {
  readonly input: number
  readonly outputs: readonly (readonly [string, PlacedTensor])[]
  /** Address and number of the steps. */
  readonly list: number
  readonly count: number
  readonly scratch: number
  readonly staging: number
  readonly scaling: number
  /** Index of the byte of a pixel that is the first channel. */
  readonly first: number
}

/** Throws if a part of a wider tensor is not made of whole panels: its step would overwrite the next part. */
export const checkParts = ({ tensors }: Pick<Model, 'tensors'>): void => {
  for (const { channels, within } of tensors) {
    if (within === undefined || (channels % PANEL === 0 && within.offset % PANEL === 0)) continue
    const part = `channels ${within.offset} to ${within.offset + channels} of tensor ${within.tensor}`
    throw new Error(`${part} are not made of whole panels of ${PANEL}`)
  }
}

/** Lays a model out in the memory of a kernel instance, which no other network may use. The model is not retained. */
export const openNetwork = (model: Model, kernel: NetworkKernel): Network => runIn(kernel, layOut(model, kernel))

const layOut = (model: Model, kernel: NetworkKernel): Layout => {
  const arena = openArena(kernel)
  const tensors = placeTensors(model, arena)
  const packing = arena.take(Math.max(...model.steps.map((step) => filterSamples(step, model))) * 4)
  const scratch = arena.take(kernel.scratchBytes())
  const steps = model.steps.map((step) => placeStep({ step, model, tensors, arena, packing }))
  const list = arena.take(steps.length * 4)
  new Uint32Array(kernel.memory.buffer, list, steps.length).set(steps)
  const [input] = tensors as [PlacedTensor]
  const staging = arena.take(input.shape.width * input.shape.height * 3)
  const scaling = arena.take(24)
  new Float32Array(kernel.memory.buffer, scaling, 6).set([...model.scale, ...model.shift])
  const outputs = Object.entries(model.outputs).map(([name, tensor]) => [name, tensors[tensor]!] as const)
  const first = model.order === 'rgb' ? 0 : 2
  return { input: input.descriptor, outputs, list, count: steps.length, scratch, staging, scaling, first }
}

const runIn = (kernel: NetworkKernel, layout: Layout): Network => ({
  run: (bytes) => {
    new Uint8Array(kernel.memory.buffer).set(bytes, layout.staging)
    kernel.fill(layout.input, layout.staging, layout.scaling, layout.first)
    kernel.run(layout.list, layout.count, layout.scratch)
    return Object.fromEntries(layout.outputs.map(([name, tensor]) => [name, samplesOf(kernel, tensor)] as const))
  },
})

/** Tensors within others come after them in memory, but before them in the model. */
const placeTensors = (model: Model, arena: Arena): PlacedTensor[] => {
  const owners = ownersOf(model)
  const placed = new Map<number, PlacedTensor>()
  const place = (index: number): PlacedTensor => {
    const known = placed.get(index)
    if (known !== undefined) return known
    const owner = owners[index]!
    const made = owner === index ? placeTensor(model.tensors[index]!, arena, place) : place(owner)
    placed.set(index, made)
    return made
  }
  return model.tensors.map((_, index) => place(index))
}

const placeTensor = (shape: TensorShape, arena: Arena, place: (index: number) => PlacedTensor): PlacedTensor => {
  const { start, row, pixel } =
    shape.within === undefined ? allocateTensor(shape, arena) : placeWithin(shape.within, place)
  return describe({ start, row, pixel, shape }, arena)
}

const describe = (place: Omit<PlacedTensor, 'descriptor'>, arena: Arena): PlacedTensor => {
  const { start, row, pixel, shape } = place
  const descriptor = arena.take(TENSOR_BYTES)
  const fields = [start, row, pixel, shape.width, shape.height, channelsOf(shape)]
  new Uint32Array(arena.kernel.memory.buffer, descriptor, fields.length).set(fields)
  return { ...place, descriptor }
}

/** A tensor one pixel further right and down, for filters that are padded after the image alone, as in TensorFlow. */
const shifted = (tensor: PlacedTensor, arena: Arena): PlacedTensor =>
  describe({ ...tensor, start: tensor.start + tensor.row + tensor.pixel }, arena)

const allocateTensor = (shape: TensorShape, arena: Arena) => {
  const pixel = channelsOf(shape) * 4
  const row = (shape.width + BORDER) * pixel
  // One more row: the last tile of an odd height reads beyond the border, and its results are ignored.
  const address = arena.take(row * (shape.height + BORDER + 1))
  return { start: address + BEFORE * (row + pixel), row, pixel }
}

const placeWithin = (
  { tensor, offset }: NonNullable<TensorShape['within']>,
  place: (index: number) => PlacedTensor,
) => {
  const { start, row, pixel } = place(tensor)
  return { start: start + offset * 4, row, pixel }
}

/** RGB gets a fourth channel of zeros; outputs of steps are whole panels. */
const channelsOf = ({ channels }: TensorShape): number => (channels === 3 ? 4 : roundUp(channels, PANEL))

const kindOf = ({ kind, size, stride }: StepShape): keyof typeof KINDS => {
  if (kind !== 'convolve') return kind
  return size === 3 && stride === 1 ? 'winograd' : 'direct'
}

/** Samples of a step's filters, as stored. */
const filterSamples = ({ kind, size, input, output }: StepShape, { tensors }: Model): number => {
  if (kind === 'convolve') return size * size * tensors[input]!.channels * tensors[output]!.channels
  return kind === 'depthwise' ? size * size * tensors[output]!.channels : 0
}

interface Placing {
  readonly step: StepShape
  readonly model: Model
  readonly tensors: readonly PlacedTensor[]
  readonly arena: Arena
  /** Address of the filters as f32 before they are packed. */
  readonly packing: number
}

const placeStep = (placing: Placing): number => {
  const { step, tensors, arena } = placing
  const weights = step.weights === undefined ? 0 : placeWeights(placing, step.weights)
  const bias = step.bias === undefined ? 0 : placeBias(placing, step.bias)
  const added = step.added === undefined ? 0 : tensors[step.added]!.descriptor
  const input = (step.after === true ? shifted(tensors[step.input]!, arena) : tensors[step.input]!).descriptor
  const output = tensors[step.output]!.descriptor
  const at = arena.take(STEP_BYTES)
  const fields = [
    KINDS[kindOf(step)],
    ACTIVATIONS[step.activation],
    step.size,
    step.stride,
    weights,
    bias,
    input,
    output,
    added,
  ]
  new Uint32Array(arena.kernel.memory.buffer, at, fields.length).set(fields)
  return at
}

const placeWeights = ({ step, model, tensors, arena, packing }: Placing, offset: number): number => {
  const { kernel } = arena
  const [input, output] = [tensors[step.input]!.shape, tensors[step.output]!.shape]
  const [inputs, outputs] = [channelsOf(input), roundUp(output.channels, PANEL)]
  const samples = model.weights.subarray(offset, offset + filterSamples(step, model))
  const kind = kindOf(step)
  const taps = kind === 'winograd' ? 16 : step.size * step.size
  const to = arena.take(taps * (kind === 'depthwise' ? outputs : inputs * outputs) * 4)
  // The view is made after the last growth of the memory, which would detach it.
  if (kind === 'depthwise') spread(new Float32Array(kernel.memory.buffer, to), samples, output.channels, outputs)
  else new Float32Array(kernel.memory.buffer, packing).set(samples)
  if (kind === 'winograd') kernel.packWinograd(packing, to, input.channels, output.channels, inputs)
  if (kind === 'direct') kernel.packDirect(packing, to, step.size, input.channels, output.channels, inputs)
  return to
}

/** Copies runs of `channels` samples, padded to `pitch`. */
const spread = (to: Float32Array, samples: Float16Array, channels: number, pitch: number): void => {
  for (let run = 0; run * channels < samples.length; run++)
    to.set(samples.subarray(run * channels, (run + 1) * channels), run * pitch)
}

const placeBias = ({ step, model, tensors, arena }: Placing, offset: number): number => {
  const { channels } = tensors[step.output]!.shape
  const to = arena.take(roundUp(channels, PANEL) * 4)
  new Float32Array(arena.kernel.memory.buffer, to).set(model.weights.subarray(offset, offset + channels))
  return to
}

/** A copy of a tensor's samples: rows > columns > channels, without padding. */
const samplesOf = (kernel: NetworkKernel, { start, row, pixel, shape }: PlacedTensor): Float32Array => {
  const { width, height, channels } = shape
  const all = new Float32Array(kernel.memory.buffer)
  const samples = new Float32Array(width * height * channels)
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = (start + y * row + x * pixel) / 4
      for (let channel = 0; channel < channels; channel++) samples[to++] = all[from + channel]!
    }
  }
  return samples
}
