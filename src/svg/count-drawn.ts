import { MAX_DEPTH } from './references.ts'
import type { Element } from './tree.ts'

/** Count of one element, from the counts of elements that it contains or refers to. */
type CountOf = (element: Element, count: (next: Element) => number) => number

/**
 * Counts something over all that drawing an element involves. Each element is counted once. Elements that are not displayed and references
 * back to an element that is being counted add nothing: renderers refuse cycles. Infinity for chains longer than MAX_DEPTH.
 */
export const countDrawn = (root: Element, countOf: CountOf): number => {
  const known = new Map<Element, number>()
  const count = (element: Element, depth: number): number => {
    if (depth > MAX_DEPTH) return Number.POSITIVE_INFINITY
    const before = known.get(element)
    if (before !== undefined) return before
    known.set(element, 0)
    if (element.attributes.get('display') === 'none') return 0
    const counted = countOf(element, (next) => count(next, depth + 1))
    known.set(element, counted)
    return counted
  }
  return count(root, 0)
}
