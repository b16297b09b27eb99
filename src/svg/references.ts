import type { Element } from './tree.ts'

/** Elements that are drawn only where they are referenced. */
export const NOT_DRAWN: ReadonlySet<string> = new Set([
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

/** Maximum depth of nested elements and references. Real drawings have some dozens. Each level takes stack. */
export const MAX_DEPTH = 1_000

/** The value of an element's `href`, in either spelling. */
export const hrefOf = ({ attributes }: Element): string | undefined =>
  attributes.get('href') ?? attributes.get('xlink:href')

/** The id in the document that an element's `href` refers to. */
export const targetOf = (element: Element): string | undefined => {
  const reference = hrefOf(element)?.trim()
  return reference?.startsWith('#') === true ? reference.slice(1) : undefined
}

/** All elements of a tree in document order. */
export function* elementsOf(root: Element): Generator<Element> {
  const left: Element[] = [root]
  for (let element = left.pop(); element !== undefined; element = left.pop()) {
    yield element
    for (const child of element.children.toReversed()) if (child.kind === 'element') left.push(child)
  }
}

/** Elements by id. The first one wins. */
export const idsOf = (root: Element): ReadonlyMap<string, Element> => {
  const ids = new Map<string, Element>()
  for (const element of elementsOf(root)) {
    const id = element.attributes.get('id')
    if (id !== undefined && !ids.has(id)) ids.set(id, element)
  }
  return ids
}
