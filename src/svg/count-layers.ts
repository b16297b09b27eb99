import { layeringOf } from './layering.ts'
import { DEEPEST, idsOf, NOT_DRAWN, targetOf } from './references.ts'
import type { Element } from './tree.ts'

/**
 * Surfaces of the whole drawing's size that librsvg holds at once, beside the drawing's own (measured at 16 megapixels with
 * librsvg 2.63): one for an element with opacity, blending or isolation; 3 for a filter and one for each named result; 3 for a mask.
 */
const FILTER_LAYERS = 3
const MASK_LAYERS = 3

const ownLayers = ({ name, children }: Element): number => {
  if (name === 'mask') return MASK_LAYERS
  if (name !== 'filter') return 0
  return FILTER_LAYERS + children.filter((child) => child.kind === 'element' && child.attributes.has('result')).length
}

/**
 * How many surfaces of the whole drawing's size a document's drawing holds at once beside its own, without drawing it: elements
 * with effects within one another, what their filters keep, and what `use`, masks, patterns and markers bring along.
 * Infinity when references lead from one to the next further than any drawing needs.
 */
export const countLayers = (root: Element): number => {
  const ids = idsOf(root)
  const styled = layeringOf(root)
  const known = new Map<Element, number>()
  const count = (element: Element, depth: number): number => {
    if (depth > DEEPEST) return Number.POSITIVE_INFINITY
    const before = known.get(element)
    if (before !== undefined) return before
    // Until it is known: a reference back to it adds nothing, renderers refuse it.
    known.set(element, 0)
    if (element.attributes.get('display') === 'none') return 0
    const { layered, targets } = styled(element)
    const href = targetOf(element)
    const referred = [...targets, ...(href === undefined ? [] : [href])].flatMap((id) => ids.get(id) ?? [])
    const inside = element.children.filter((child) => child.kind === 'element' && !NOT_DRAWN.has(child.name))
    const most = [...referred, ...(inside as Element[])].reduce(
      (worst, next) => Math.max(worst, count(next, depth + 1)),
      0,
    )
    const layers = (layered ? 1 : 0) + ownLayers(element) + most
    known.set(element, layers)
    return layers
  }
  return count(root, 0)
}
