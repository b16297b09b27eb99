import type { Graph, GraphStep, TensorShape } from './tensor-graph.ts'

/**
 * For each tensor the index of the tensor whose memory it uses: its own, or that of an earlier one of the same shape that
 * no later step reads. The same shape keeps the zeros around it in place. Inputs, outputs and parts of wider tensors
 * keep their own memory.
 */
export const ownersOf = ({ tensors, steps, outputs }: Graph): number[] => {
  const owners = tensors.map((_, index) => index)
  const kept = new Set([0, ...Object.values(outputs), ...tensors.flatMap(partsOf)])
  const lastReads = new Map(steps.flatMap((step, at) => readsOf(step).map((index) => [index, at] as const)))
  const idle = new Map<string, number[]>()
  const idleLike = (index: number): number[] => {
    const shape = nameOf(tensors[index]!)
    const those = idle.get(shape) ?? []
    idle.set(shape, those)
    return those
  }
  for (const [at, step] of steps.entries()) {
    // Allocated before the step's inputs are freed: it reads them while it writes.
    if (!kept.has(step.output)) owners[step.output] = idleLike(step.output).pop() ?? step.output
    for (const read of new Set(readsOf(step)))
      if (!kept.has(read) && lastReads.get(read) === at) idleLike(read).push(owners[read]!)
  }
  return owners
}

const readsOf = ({ input, added }: GraphStep): number[] => (added === undefined ? [input] : [input, added])

const partsOf = ({ within }: TensorShape, index: number): number[] =>
  within === undefined ? [] : [index, within.tensor]

const nameOf = ({ width, height, channels }: TensorShape): string => `${width}x${height}x${channels}`
