import type { Element } from './tree.ts'

/** Elements whose content is drawn only where something refers to it. */
const NOT_DRAWN = new Set([
  'defs',
  'symbol',
  'clipPath',
  'mask',
  'pattern',
  'marker',
  'linearGradient',
  'radialGradient',
  'filter',
])

const targetOf = (element: Element): string | undefined => {
  const reference = element.attributes.get('href') ?? element.attributes.get('xlink:href')
  return reference?.startsWith('#') === true ? reference.slice(1) : undefined
}

const collectIds = (element: Element, ids: Map<string, Element>): void => {
  const id = element.attributes.get('id')
  if (id !== undefined && !ids.has(id)) ids.set(id, element)
  for (const child of element.children) if (child.kind === 'element') collectIds(child, ids)
}

/**
 * How often `use` elements are followed when a document is drawn, nested ones counted each time; without drawing it.
 * A document of a few lines can ask for millions. What refers to itself counts as nothing: renderers refuse that at once.
 */
export const countUses = (root: Element): number => {
  const ids = new Map<string, Element>()
  collectIds(root, ids)
  const known = new Map<Element, number>()
  const inside = (element: Element): number =>
    element.children.reduce(
      (sum, child) => (child.kind !== 'element' || NOT_DRAWN.has(child.name) ? sum : sum + count(child)),
      0,
    )
  const count = (element: Element): number => {
    const before = known.get(element)
    if (before !== undefined) return before
    // Until it is known: a reference back to it adds nothing.
    known.set(element, 0)
    if (element.attributes.get('display') === 'none') return 0
    const target = element.name === 'use' ? ids.get(targetOf(element) ?? '') : undefined
    const uses = inside(element) + (target === undefined ? 0 : 1 + count(target))
    known.set(element, uses)
    return uses
  }
  return count(root)
}
