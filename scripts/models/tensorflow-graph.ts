/** Reads graph models of TensorFlow.js: a JSON file of nodes, and a binary file of weights. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** An operation of TensorFlow. `input` names the nodes that it reads; texts in `attr` are base64. */
export interface GraphNode {
  readonly name: string
  readonly op: string
  readonly input?: readonly string[]
  readonly attr?: Readonly<Record<string, { list?: { i?: string[]; s?: string[] }; s?: string }>>
}

/** A constant tensor of a graph, such as a filter or the size of a resize. */
export interface Constant {
  readonly shape: readonly number[]
  /** Samples as stored: halves, or whole numbers of 32 bits. */
  readonly bytes: Uint8Array
  /** The samples of a tensor of whole numbers. */
  readonly values?: Int32Array
}

export interface TensorFlowGraph {
  readonly nodes: ReadonlyMap<string, GraphNode>
  readonly constants: ReadonlyMap<string, Constant>
}

interface StoredWeight {
  readonly name: string
  readonly shape: readonly number[]
  readonly dtype: string
  readonly quantization?: { readonly dtype: string }
}

interface StoredGraph {
  readonly modelTopology: { readonly node: readonly GraphNode[] }
  readonly weightsManifest: readonly { readonly weights: readonly StoredWeight[] }[]
}

/** Constants by name. Throws for a weight that is neither a half nor a whole number of 32 bits. */
const readConstants = (graph: StoredGraph, stored: Uint8Array): ReadonlyMap<string, Constant> => {
  const constants = new Map<string, Constant>()
  let at = 0
  for (const { name, shape, dtype, quantization } of graph.weightsManifest.flatMap(({ weights }) => weights)) {
    const isWhole = dtype === 'int32'
    if (!isWhole && quantization?.dtype !== 'float16') throw new Error(`${name} is stored as ${dtype}`)
    const count = shape.reduce((product, side) => product * side, 1)
    const bytes = stored.slice(at, at + count * (isWhole ? 4 : 2))
    at += bytes.length
    constants.set(name, { shape, bytes, ...(isWhole ? { values: new Int32Array(new Uint8Array(bytes).buffer) } : {}) })
  }
  return constants
}

/** Reads `<name>.json` and `<name>.bin` of a directory. */
export const readGraph = (directory: string, name: string): TensorFlowGraph => {
  const graph = JSON.parse(readFileSync(join(directory, `${name}.json`), 'utf8')) as StoredGraph
  const stored = readFileSync(join(directory, `${name}.bin`))
  return {
    nodes: new Map(graph.modelTopology.node.map((node) => [node.name, node])),
    constants: readConstants(graph, stored),
  }
}

/** A text attribute of a node. */
export const decodeText = (value: string): string => Buffer.from(value, 'base64').toString()
