import { countDrawn } from './count-drawn.ts'
import { layeringOf } from './layering.ts'
import { idsOf, NOT_DRAWN, targetOf } from './references.ts'
import type { Element } from './tree.ts'

/**
 * Full-size surfaces that librsvg holds at once in addition to the drawing's own, measured at 16 megapixels with librsvg 2.63. An element
 * with opacity, blending or isolation takes 1, a filter 3 and 1 per named result, a mask 3.
 */
const LAYERS = { filter: 3, mask: 3 } as const

const ownLayers = ({ name, children }: Element): number => {
  if (name === 'mask') return LAYERS.mask
  if (name !== 'filter') return 0
  return LAYERS.filter + children.filter((child) => child.kind === 'element' && child.attributes.has('result')).length
}

/**
 * Counts the full-size surfaces that drawing a document holds at once, besides the document's own. Nothing is drawn. Surfaces are nested
 * elements with effects, results of filters, and those of `use`, masks, patterns and markers. Infinity for chains of references longer
 * than MAX_DEPTH.
 */
export const countLayers = (root: Element): number => {
  const ids = idsOf(root)
  const styled = layeringOf(root)
  return countDrawn(root, (element, count) => {
    const { layered, targets } = styled(element)
    const href = targetOf(element)
    const referred = [...targets, ...(href === undefined ? [] : [href])].flatMap((id) => ids.get(id) ?? [])
    const inside = element.children.filter((child) => child.kind === 'element' && !NOT_DRAWN.has(child.name))
    const most = [...referred, ...(inside as Element[])].reduce((worst, next) => Math.max(worst, count(next)), 0)
    return (layered ? 1 : 0) + ownLayers(element) + most
  })
}
