import { countDrawn } from './count-drawn.ts'
import { idsOf, NOT_DRAWN, targetOf } from './references.ts'
import type { Element } from './tree.ts'

/**
 * Counts how often drawing a document follows `use` elements, nested ones each time, without drawing it. A document of a few lines can
 * cause millions. Infinity for chains of references longer than MAX_DEPTH.
 */
export const countUses = (root: Element): number => {
  const ids = idsOf(root)
  return countDrawn(root, (element, count) => {
    const inside = element.children.reduce(
      (sum, child) => (child.kind !== 'element' || NOT_DRAWN.has(child.name) ? sum : sum + count(child)),
      0,
    )
    const target = element.name === 'use' ? ids.get(targetOf(element) ?? '') : undefined
    return inside + (target === undefined ? 0 : 1 + count(target))
  })
}
