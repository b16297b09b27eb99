import type { Element } from './tree.ts'

/** Elements whose content is drawn only where something refers to it. */
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

/** Elements within elements and references of references; drawings nest some dozens. Each takes a piece of the stack. */
export const DEEPEST = 1_000

/** The value of an element's `href`, in either spelling. */
export const hrefOf = ({ attributes }: Element): string | undefined =>
  attributes.get('href') ?? attributes.get('xlink:href')

/** The id that an element's `href` leads to within the document. */
export const targetOf = (element: Element): string | undefined => {
  const reference = hrefOf(element)?.trim()
  return reference?.startsWith('#') === true ? reference.slice(1) : undefined
}

/** All elements of a tree, in the order of the document. */
export function* elementsOf(root: Element): Generator<Element> {
  const left: Element[] = [root]
  for (let element = left.pop(); element !== undefined; element = left.pop()) {
    yield element
    for (const child of element.children.toReversed()) if (child.kind === 'element') left.push(child)
  }
}

/** Elements by their id; the first of those that share one. */
export const idsOf = (root: Element): ReadonlyMap<string, Element> => {
  const ids = new Map<string, Element>()
  for (const element of elementsOf(root)) {
    const id = element.attributes.get('id')
    if (id !== undefined && !ids.has(id)) ids.set(id, element)
  }
  return ids
}
