import { DEEPEST, idsOf, NOT_DRAWN, targetOf } from './references.ts'
import type { Element } from './tree.ts'

/**
 * How often `use` elements are followed when a document is drawn, nested ones counted each time; without drawing it.
 * A document of a few lines can ask for millions. What refers to itself counts as nothing: renderers refuse that at once.
 * Infinity when references lead from one to the next further than any drawing needs.
 */
export const countUses = (root: Element): number => {
  const ids = idsOf(root)
  const known = new Map<Element, number>()
  const inside = (element: Element, depth: number): number =>
    element.children.reduce(
      (sum, child) => (child.kind !== 'element' || NOT_DRAWN.has(child.name) ? sum : sum + count(child, depth + 1)),
      0,
    )
  const count = (element: Element, depth: number): number => {
    if (depth > DEEPEST) return Number.POSITIVE_INFINITY
    const before = known.get(element)
    if (before !== undefined) return before
    // Until it is known: a reference back to it adds nothing.
    known.set(element, 0)
    if (element.attributes.get('display') === 'none') return 0
    const target = element.name === 'use' ? ids.get(targetOf(element) ?? '') : undefined
    const uses = inside(element, depth) + (target === undefined ? 0 : 1 + count(target, depth + 1))
    known.set(element, uses)
    return uses
  }
  return count(root, 0)
}
