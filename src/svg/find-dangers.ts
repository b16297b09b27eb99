import {
  ALLOWED_ATTRIBUTES,
  ALLOWED_ELEMENTS,
  ANIMATION_ELEMENTS,
  FRAGMENT,
  isAnimatable,
  RASTER_DATA,
  REFERENCES,
  runsScript,
  SVG_DATA,
} from './allowed.ts'
import { cleanDeclarations, cleanStyleSheet, isHarmfulValue } from './clean-css.ts'
import { dataText } from './data-url.ts'
import { type Element, parseTree } from './tree.ts'

const isDangerous = (element: Element, reference: string): boolean => {
  if (FRAGMENT.test(reference)) return false
  if (element.name !== 'image' && element.name !== 'feImage') return true
  if (SVG_DATA.test(reference)) return findDangers(dataText(reference)).length > 0
  return !RASTER_DATA.test(reference)
}

const attributeDangers = (element: Element): string[] =>
  [...element.attributes].flatMap(([name, value]) => {
    const where = `${element.name}[${name}]`
    if (REFERENCES.has(name)) return isDangerous(element, value) ? [where] : []
    if (!ALLOWED_ATTRIBUTES.has(name)) return [where]
    if (name === 'style') return cleanDeclarations(value).removed ? [where] : []
    return isHarmfulValue(value) || runsScript(value) ? [where] : []
  })

const elementDangers = (element: Element): string[] => {
  const own = attributeDangers(element)
  if (!ALLOWED_ELEMENTS.has(element.name)) own.push(element.name)
  const target = element.attributes.get('attributeName')
  if (ANIMATION_ELEMENTS.has(element.name) && target !== undefined && !isAnimatable(target))
    own.push(`${element.name} of ${target}`)
  if (element.name === 'style') {
    const text = element.children.map((child) => (child.kind === 'text' ? child.text : '')).join('')
    if (cleanStyleSheet(text).removed) own.push('style')
  }
  return own.concat(element.children.flatMap((child) => (child.kind === 'element' ? elementDangers(child) : [])))
}

/**
 * Parses markup before it is returned and lists forbidden content. Empty when it is clean. This is the final check after optimisation, and
 * markup with findings is never sent (§4.4).
 */
export const findDangers = (markup: string): readonly string[] => {
  if (/<!DOCTYPE|<!ENTITY/i.test(markup)) return ['doctype']
  try {
    const { root, extras } = parseTree(markup)
    return [...[...extras].filter((extra) => extra !== 'comment'), ...elementDangers(root)]
  } catch {
    return ['unreadable markup']
  }
}
