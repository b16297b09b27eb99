import { idsOf, MAX_DEPTH, NOT_DRAWN, targetOf } from './references.ts'
import type { Element } from './tree.ts'

/**
 * Counts how often drawing a document follows `use` elements, nested ones each time, without drawing it. A document of a few lines can
 * cause millions. Cycles count as nothing, since renderers refuse them. Infinity for chains of references longer than MAX_DEPTH.
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
    if (depth > MAX_DEPTH) return Number.POSITIVE_INFINITY
    const before = known.get(element)
    if (before !== undefined) return before
    // A reference back to this element adds nothing.
    known.set(element, 0)
    if (element.attributes.get('display') === 'none') return 0
    const target = element.name === 'use' ? ids.get(targetOf(element) ?? '') : undefined
    const uses = inside(element, depth) + (target === undefined ? 0 : 1 + count(target, depth + 1))
    known.set(element, uses)
    return uses
  }
  return count(root, 0)
}
