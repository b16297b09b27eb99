// The one decision tree of a frame: for LF coefficients, for what is zero everywhere, and for the quantisation tables.

import { leavesOf, PREDICTOR, PROPERTY, splitAt, type TreeNode } from './tree.ts'
import type { Predictions } from './weighted-predictor.ts'

/** Samples that a context should have: with fewer its distribution costs more than it gains. */
const SAMPLES_PER_CONTEXT = 400
/** Contexts at most. Chosen, not measured. */
const MAX_CONTEXTS = 24

/** Errors between which there are about equally many samples. */
export const thresholdsOf = (predictions: readonly Predictions[]): number[] => {
  const total = predictions.reduce((sum, { errors }) => sum + errors.length, 0)
  const contexts = Math.max(1, Math.min(MAX_CONTEXTS, Math.floor(total / SAMPLES_PER_CONTEXT)))
  const sorted = new Int32Array(total)
  let at = 0
  for (const { errors } of predictions) {
    sorted.set(errors, at)
    at += errors.length
  }
  sorted.sort()
  const thresholds = Array.from({ length: contexts - 1 }, (_, i) => sorted[Math.floor(((i + 1) * total) / contexts)]!)
  return [...new Set(thresholds)].filter((threshold) => threshold < sorted[total - 1]!)
}

/** Contexts of the frame's modular streams. */
export interface LfTree {
  readonly root: TreeNode
  readonly contexts: number
  /** Context of what is zero everywhere. */
  readonly zero: number
  /** Contexts of the quantisation tables' channels. */
  readonly quantTable: readonly [number, number, number]
  /** Contexts of a channel of LF coefficients (0 luma, 1 and 2 chroma) by how many thresholds the error is above. */
  readonly lf: readonly [readonly number[], readonly number[], readonly number[]]
  readonly thresholds: readonly [readonly number[], readonly number[], readonly number[]]
}

const contextsOf = (subtree: TreeNode, leaves: readonly TreeNode[]): number[] =>
  subtree.kind === 'leaf'
    ? [leaves.indexOf(subtree)]
    : [...contextsOf(subtree.no, leaves), ...contextsOf(subtree.yes, leaves)]

/** The tree for a frame of `lfGroups` LF groups. They number its streams: LF coefficients first, quantisation tables last. */
export const lfTree = (
  lfGroups: number,
  thresholds: readonly [luma: readonly number[], cb: readonly number[], cr: readonly number[]],
): LfTree => {
  const [luma, cb, cr] = thresholds.map((list) => splitAt(PROPERTY.error, list, PREDICTOR.weighted)) as [
    TreeNode,
    TreeNode,
    TreeNode,
  ]
  const leaf = (predictor: number): TreeNode => ({ kind: 'leaf', predictor })
  const byChannel = (first: TreeNode, second: TreeNode, third: TreeNode): TreeNode => {
    const later: TreeNode = { kind: 'split', property: PROPERTY.channel, above: 1, yes: third, no: second }
    return { kind: 'split', property: PROPERTY.channel, above: 0, yes: later, no: first }
  }
  const tables = [leaf(PREDICTOR.gradient), leaf(PREDICTOR.gradient), leaf(PREDICTOR.gradient)] as const
  const zero = leaf(PREDICTOR.zero)
  const root: TreeNode = {
    kind: 'split',
    property: PROPERTY.stream,
    above: lfGroups,
    yes: { kind: 'split', property: PROPERTY.stream, above: 3 * lfGroups, yes: byChannel(...tables), no: zero },
    no: byChannel(luma, cb, cr),
  }
  const leaves = leavesOf(root)
  const [a, b, c] = tables.map((table) => leaves.indexOf(table)) as [number, number, number]
  return {
    root,
    contexts: leaves.length,
    zero: leaves.indexOf(zero),
    quantTable: [a, b, c],
    lf: [contextsOf(luma, leaves), contextsOf(cb, leaves), contextsOf(cr, leaves)],
    thresholds,
  }
}
