/**
 * Turns the nodes of a TensorFlow graph into steps of `kernels/network`. Padding, bias, addition and activation become part of the
 * convolution that they belong to. Transpositions vanish, since all tensors are channels last.
 */

import type { GraphStep } from './tensor-graph.ts'
import { decodeText, type GraphNode, type TensorFlowGraph } from './tensorflow-graph.ts'

/** A tensor under construction. Concatenated tensors become parts of a wider one. */
export interface Tensor {
  readonly width: number
  readonly height: number
  readonly channels: number
  within?: { tensor: Tensor; offset: number }
}

/** A step under construction. Later nodes add its bias, its activation and the tensor that it adds. */
export interface Step {
  readonly kind: GraphStep['kind']
  activation: GraphStep['activation']
  readonly size: number
  readonly stride: number
  readonly input: Tensor
  readonly output: Tensor
  added?: Tensor
  /** Names of constants. */
  readonly weights?: string
  bias?: string
}

export interface BuiltSteps {
  readonly input: Tensor
  readonly steps: readonly Step[]
  readonly outputs: readonly (readonly [name: string, tensor: Tensor])[]
}

interface Build {
  readonly graph: TensorFlowGraph
  readonly input: Tensor
  readonly steps: Step[]
  /** The tensor of a node, which is built when it is read for the first time. */
  readonly tensorOf: (name: string) => Tensor
}

type Operation = (node: GraphNode, build: Build) => Tensor

const stepThatMakes = ({ steps }: Build, tensor: Tensor): Step => steps.findLast((step) => step.output === tensor)!

const firstInput: Operation = (node, { tensorOf }) => tensorOf(node.input![0]!)

const activationOf = (node: GraphNode): GraphStep['activation'] => {
  const fused = node.attr!['fused_ops']?.list?.s?.map(decodeText) ?? []
  if (fused.includes('Relu6')) throw new Error(`${node.name}: the kernel has no activation with a largest value`)
  return fused.includes('Relu') ? 'relu' : 'none'
}

/** Throws where TensorFlow pads one pixel of zeros at the end alone: the kernel pads both ends. */
const checkPadding = (node: GraphNode, source: Tensor, stride: number): void => {
  if (stride === 2 && decodeText(node.attr!['padding']!.s!) === 'SAME' && source.width % 2 === 0)
    throw new Error(`${node.name} pads after the image alone`)
}

const convolution =
  (kind: 'convolve' | 'depthwise'): Operation =>
  (node, { graph, steps, tensorOf }) => {
    const [from, weights, bias] = node.input!
    const input = tensorOf(from!)
    const [size, , inputs, outputs] = graph.constants.get(weights!)!.shape
    const stride = Number(node.attr!['strides']!.list!.i![1])
    checkPadding(node, input, stride)
    const output = {
      width: Math.ceil(input.width / stride),
      height: Math.ceil(input.height / stride),
      channels: kind === 'depthwise' ? inputs! : outputs!,
    }
    const step = { kind, activation: activationOf(node), size: size!, stride, input, output, weights: weights! }
    steps.push({ ...step, ...(bias ? { bias } : {}) })
    return output
  }

/** Adds a constant, which becomes the bias of its step, or a tensor, which the later of the two steps adds on its way out. */
const addition: Operation = (node, build) => {
  const [a, b] = node.input! as [string, string]
  if (build.graph.constants.has(b)) {
    const tensor = build.tensorOf(a)
    stepThatMakes(build, tensor).bias = b
    return tensor
  }
  // The enlarged input comes last: the kernel adds the other one to it.
  const isEnlarged = build.graph.nodes.get(a)!.op === 'ResizeBilinear'
  const [second, first] = isEnlarged ? [build.tensorOf(b), build.tensorOf(a)] : [build.tensorOf(a), build.tensorOf(b)]
  const [made, added] = build.steps.at(-1)!.output === second ? [second, first] : [first, second]
  stepThatMakes(build, made).added = added
  return made
}

const activation =
  (kind: 'relu' | 'leaky'): Operation =>
  (node, build) => {
    const tensor = firstInput(node, build)
    stepThatMakes(build, tensor).activation = kind
    return tensor
  }

const concatenation: Operation = (node, { tensorOf }) => {
  const parts = node.input!.slice(0, -1).map(tensorOf)
  const wide: Tensor = { ...parts[0]!, channels: parts.reduce((sum, part) => sum + part.channels, 0) }
  delete wide.within
  let offset = 0
  for (const part of parts) {
    part.within = { tensor: wide, offset }
    offset += part.channels
  }
  return wide
}

const maxPool: Operation = (node, build) => {
  const input = firstInput(node, build)
  const output = { width: input.width / 2, height: input.height / 2, channels: input.channels }
  build.steps.push({ kind: 'max-pool', activation: 'none', size: 3, stride: 2, input, output })
  return output
}

const resize: Operation = (node, build) => {
  const input = firstInput(node, build)
  const [height, width] = build.graph.constants.get(node.input![1]!)!.values!
  const output = { width: width!, height: height!, channels: input.channels }
  build.steps.push({ kind: 'resize', activation: 'none', size: 0, stride: 1, input, output })
  return output
}

/** Operations by TensorFlow's names. `Sub` and `Mul` scale the input, which the model's header says. */
const OPERATIONS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['Placeholder', (_node, { input }) => input],
  ...['Pad', 'PadV2', 'Transpose', 'Cast', 'Unpack', 'ExpandDims', 'Squeeze', 'Sub', 'Mul'].map(
    (name) => [name, firstInput] as const,
  ),
  ['Conv2D', convolution('convolve')],
  ['_FusedConv2D', convolution('convolve')],
  ['DepthwiseConv2dNative', convolution('depthwise')],
  ['FusedDepthwiseConv2dNative', convolution('depthwise')],
  ['Add', addition],
  ['AddV2', addition],
  ['Relu', activation('relu')],
  ['LeakyRelu', activation('leaky')],
  ['ConcatV2', concatenation],
  ['MaxPool', maxPool],
  ['ResizeBilinear', resize],
])

/** The steps that `outputs` need, nodes by name, for a square input of `side` pixels. Throws for an operation that is not known. */
export const buildSteps = (
  graph: TensorFlowGraph,
  { side, outputs }: { readonly side: number; readonly outputs: Readonly<Record<string, string>> },
): BuiltSteps => {
  const built = new Map<string, Tensor>()
  const tensorOf = (name: string): Tensor => {
    const known = built.get(name)
    if (known !== undefined) return known
    const node = graph.nodes.get(name)!
    const operation = OPERATIONS.get(node.op)
    if (operation === undefined) throw new Error(`${node.op} is not known`)
    const tensor = operation(node, build)
    built.set(name, tensor)
    return tensor
  }
  const build: Build = { graph, input: { width: side, height: side, channels: 3 }, steps: [], tensorOf }
  const read = Object.entries(outputs).map(([name, node]) => [name, tensorOf(node)] as const)
  return { input: build.input, steps: build.steps, outputs: read }
}
