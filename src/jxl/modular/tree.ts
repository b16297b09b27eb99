// Decision trees of modular streams (ISO/IEC 18181-1, annex H): which context and predictor a sample has.

import type { BitWriter } from '../bits/bit-writer.ts'
import { packSigned } from '../bits/fields.ts'
import { codeFor, writeCode, writeTokens } from '../entropy/entropy-code.ts'
import { Tokens } from '../entropy/tokens.ts'
import { JXL } from '../format-numbers.ts'

/** Predictors by their numbers in the format. */
export const PREDICTOR = { zero: 0, gradient: 5, weighted: 6 } as const

/** Properties of a sample by their numbers in the format. */
export const PROPERTY = { channel: 0, stream: 1, error: 15 } as const

/** A leaf, whose context is its place among the leaves in order of breadth; or a question whether a property is above a number. */
export type TreeNode =
  | { readonly kind: 'leaf'; readonly predictor: number }
  | {
      readonly kind: 'split'
      readonly property: number
      readonly above: number
      readonly yes: TreeNode
      readonly no: TreeNode
    }

/** Contexts of a tree's tokens. */
const CONTEXT = { threshold: 0, property: 1, predictor: 2, offset: 3, factorLog: 4, factorBits: 5 } as const

/** All nodes in order of breadth, which is that of the bitstream. */
const inOrder = (root: TreeNode): TreeNode[] => {
  const nodes = [root]
  for (let i = 0; i < nodes.length; i++) {
    const node = nodes[i]!
    if (node.kind === 'split') nodes.push(node.yes, node.no)
  }
  return nodes
}

/** Leaves in order of their contexts. */
export const leavesOf = (root: TreeNode): TreeNode[] => inOrder(root).filter(({ kind }) => kind === 'leaf')

/** Writes a tree. */
export const writeTree = (writer: BitWriter, root: TreeNode): void => {
  const tokens = new Tokens()
  for (const node of inOrder(root)) {
    if (node.kind === 'split') {
      tokens.push(CONTEXT.property, node.property + 1)
      tokens.push(CONTEXT.threshold, packSigned(node.above))
    } else {
      tokens.push(CONTEXT.property, 0)
      tokens.push(CONTEXT.predictor, node.predictor)
      tokens.push(CONTEXT.offset, 0)
      tokens.push(CONTEXT.factorLog, 0)
      tokens.push(CONTEXT.factorBits, 0)
    }
  }
  const code = codeFor([tokens], JXL.treeContexts)
  writeCode(writer, code)
  writeTokens(writer, code, tokens)
}

/** A balanced tree of leaves between thresholds, which rise. */
export const splitAt = (property: number, thresholds: readonly number[], predictor: number): TreeNode => {
  if (thresholds.length === 0) return { kind: 'leaf', predictor }
  const middle = thresholds.length >> 1
  return {
    kind: 'split',
    property,
    above: thresholds[middle]!,
    yes: splitAt(property, thresholds.slice(middle + 1), predictor),
    no: splitAt(property, thresholds.slice(0, middle), predictor),
  }
}
