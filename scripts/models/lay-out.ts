/**
 * Lays the tensors of a network out in the memory of kernels/network. Each has a border of zeros. Parts of wider tensors lie within them.
 * Tensors of one shape that no step needs at once share one allocation.
 */
import type { ModelHeader, NetworkStep, TensorFields } from '../../src/attention/network/model.ts'
import { ownersOf } from './memory-owners.ts'
import type { Graph, GraphStep, TensorShape } from './tensor-graph.ts'

/** Zero pixels before a tensor, which the kernel's convolutions read as padding: see kernels/network/layout.ts. */
const BEFORE = 1
/** Zero pixels before and behind it. */
const BORDER = 3
/** Output channels that the kernel computes together. */
const PANEL = 16
/** Bytes of a cache line; data aligned to it loads fastest. */
const LINE = 64
/** Samples of a packed 3 x 3 filter in Winograd's F(2 x 2, 3 x 3). */
const WINOGRAD_SAMPLES = 16

/** The header's fields that depend on the graph alone. */
export const layOutGraph = (graph: Graph): Pick<ModelHeader, 'bytes' | 'tensors' | 'steps' | 'outputs'> => {
  checkParts(graph.tensors)
  const { bytes, tensors } = placeTensors(graph)
  const steps = graph.steps.map((step) => completeStep(step, graph))
  const outputs = Object.entries(graph.outputs).map(([name, tensor]) => {
    const { channels } = graph.tensors[tensor]!
    return [name, { tensor, channels }] as const
  })
  return { bytes, tensors, steps, outputs: Object.fromEntries(outputs) }
}

/** Throws if a part of a wider tensor is not made of whole panels: its step would overwrite the next part. */
const checkParts = (tensors: readonly TensorShape[]): void => {
  for (const { channels, within } of tensors) {
    if (within === undefined || (channels % PANEL === 0 && within.offset % PANEL === 0)) continue
    const part = `channels ${within.offset} to ${within.offset + channels} of tensor ${within.tensor}`
    throw new Error(`${part} are not made of whole panels of ${PANEL}`)
  }
}

const roundUp = (value: number, to: number): number => Math.ceil(value / to) * to

/** RGB gets a fourth channel of zeros; outputs of steps are whole panels. */
const pitchOf = ({ channels }: TensorShape): number => (channels === 3 ? 4 : roundUp(channels, PANEL))

/** Tensors within others come before them in the graph, but are placed after them. */
const placeTensors = (graph: Graph): Pick<ModelHeader, 'bytes' | 'tensors'> => {
  const owners = ownersOf(graph)
  const placed = new Map<number, TensorFields>()
  let bytes = 0
  const allocate = (shape: TensorShape): TensorFields => {
    const pixel = pitchOf(shape) * 4
    const row = (shape.width + BORDER) * pixel
    const start = bytes + BEFORE * (row + pixel)
    // One more row: the last tile of an odd height reads beyond the border, and its results are ignored.
    bytes = roundUp(bytes + row * (shape.height + BORDER + 1), LINE)
    return [start, row, pixel, shape.width, shape.height, pitchOf(shape)]
  }
  const partOf = (shape: TensorShape, { tensor, offset }: NonNullable<TensorShape['within']>): TensorFields => {
    const [start, row, pixel] = place(tensor)
    return [start + offset * 4, row, pixel, shape.width, shape.height, pitchOf(shape)]
  }
  const place = (index: number): TensorFields => {
    const shape = graph.tensors[index]!
    const owner = owners[index]!
    const made = () => (shape.within === undefined ? allocate(shape) : partOf(shape, shape.within))
    const fields = placed.get(index) ?? (owner === index ? made() : place(owner))
    placed.set(index, fields)
    return fields
  }
  const tensors = graph.tensors.map((_, index) => place(index))
  return { bytes, tensors }
}

const kindOf = ({ kind, size, stride }: GraphStep): NetworkStep['kind'] => {
  if (kind !== 'convolve') return kind
  return size === 3 && stride === 1 ? 'winograd' : 'direct'
}

const completeStep = ({ weights, bias, ...step }: GraphStep, { tensors }: Graph): NetworkStep => {
  const kind = kindOf(step)
  if (weights === undefined || bias === undefined) return { ...step, kind }
  const [input, output] = [tensors[step.input]!, tensors[step.output]!]
  const taps = kind === 'winograd' ? WINOGRAD_SAMPLES : step.size * step.size
  const [inputs, pitch] = kind === 'depthwise' ? [1, 1] : [input.channels, pitchOf(input)]
  const packed = taps * pitch * pitchOf(output)
  return { ...step, kind, filters: { at: weights, bias, inputs, outputs: output.channels, packed } }
}
