import { fail } from '../core/failure.ts'
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
import { expandEntities } from './expand-entities.ts'
import { textOfForeign } from './foreign-text.ts'
import { SVG_LIMITS } from './limits.ts'
import { type Element, type Node, parseTree, printTree } from './tree.ts'

export interface Sanitised {
  readonly markup: string
  readonly root: Element
  /** Kinds of removed content, sorted: 'script', 'event handler', 'external reference' … */
  readonly removed: readonly string[]
  /** Whether plain HTML text in the drawing was converted to SVG text. */
  readonly retyped: boolean
}

/** Elements that are removed without a Warning. */
const SILENTLY_REMOVED = new Set(['metadata'])

interface Cleaning {
  readonly removed: Set<string>
  retyped: boolean
  readonly nesting: number
}

/** Sanitises an SVG inside the SVG by the same rules. undefined when that fails. */
const cleanNestedSvg = (value: string, cleaning: Cleaning): string | undefined => {
  const { removed, nesting } = cleaning
  if (nesting >= SVG_LIMITS.nesting) return undefined
  try {
    const inner = sanitiseMarkup(dataText(value), nesting + 1)
    for (const what of inner.removed) removed.add(what)
    cleaning.retyped ||= inner.retyped
    return `data:image/svg+xml;base64,${Buffer.from(inner.markup).toString('base64')}`
  } catch {
    return undefined
  }
}

const cleanReference = (element: Element, value: string, cleaning: Cleaning): string | undefined => {
  if (FRAGMENT.test(value)) return value.trim()
  const drawsImages = element.name === 'image' || element.name === 'feImage'
  if (drawsImages && RASTER_DATA.test(value)) return value.replace(/\s+/g, '')
  if (drawsImages && SVG_DATA.test(value)) return cleanNestedSvg(value, cleaning)
  return undefined
}

const cleanAttribute = (element: Element, name: string, value: string, cleaning: Cleaning): string | undefined => {
  const { removed } = cleaning
  if (REFERENCES.has(name)) {
    const kept = cleanReference(element, value, cleaning)
    if (kept === undefined) removed.add(runsScript(value) ? 'script' : 'external reference')
    return kept
  }
  if (/^on/i.test(name)) removed.add('event handler')
  if (name === 'xml:base') removed.add('external reference')
  if (!ALLOWED_ATTRIBUTES.has(name)) return undefined
  if (name === 'style') {
    const cleaned = cleanDeclarations(value)
    if (cleaned.removed) removed.add('external reference')
    return cleaned.css
  }
  if (!isHarmfulValue(value)) return value
  removed.add(runsScript(value) ? 'script' : 'external reference')
  return undefined
}

const cleanAttributes = (element: Element, cleaning: Cleaning): void => {
  for (const [name, value] of [...element.attributes]) {
    const kept = cleanAttribute(element, name, value, cleaning)
    if (kept === undefined) element.attributes.delete(name)
    else element.attributes.set(name, kept)
  }
}

const cleanStyle = (style: Element, { removed }: Cleaning): void => {
  const text = style.children.map((child) => (child.kind === 'text' ? child.text : '')).join('')
  const cleaned = cleanStyleSheet(text)
  if (cleaned.removed) removed.add('external reference')
  style.children = cleaned.css === '' ? [] : [{ kind: 'text', text: cleaned.css }]
}

/** Whether an object requires an extension, such as those of Adobe Illustrator, so that no browser shows it. */
const isForEditors = ({ name, attributes }: Element): boolean =>
  name === 'foreignObject' &&
  !/^(?:http:\/\/www\.w3\.org\/1999\/xhtml)?$/.test(attributes.get('requiredExtensions') ?? '')

/** Whether an element may stay. A removed one loses its children too. */
const mayStay = (element: Element, { removed }: Cleaning): boolean => {
  if (!ALLOWED_ELEMENTS.has(element.name)) {
    const name = element.name.replace(/^\{.*\}/, '')
    const foreign = element.name.startsWith('{')
    if (!SILENTLY_REMOVED.has(name)) removed.add(foreign || isForEditors(element) ? 'foreign content' : name)
    return false
  }
  const target = element.attributes.get('attributeName')
  if (ANIMATION_ELEMENTS.has(element.name) && target !== undefined && !isAnimatable(target)) {
    removed.add('animated reference')
    return false
  }
  const type = element.attributes.get('type')
  return element.name !== 'style' || type === undefined || type === '' || /^text\/css$/i.test(type.trim())
}

/** Converts HTML that is plain text to SVG text, which also draws in images and in librsvg. Other HTML is removed. */
const retype = (child: Node, cleaning: Cleaning): Node => {
  if (child.kind === 'text' || child.name !== 'foreignObject' || isForEditors(child)) return child
  const text = textOfForeign(child)
  if (text !== undefined) cleaning.retyped = true
  return text ?? child
}

const cleanElement = (element: Element, cleaning: Cleaning): void => {
  element.children = element.children.map((child) => retype(child, cleaning))
  element.children = element.children.filter((child) => child.kind === 'text' || mayStay(child, cleaning))
  cleanAttributes(element, cleaning)
  if (element.name === 'style') cleanStyle(element, cleaning)
  for (const child of element.children) if (child.kind === 'element') cleanElement(child, cleaning)
}

const sanitiseMarkup = (markup: string, nesting: number): Sanitised => {
  const { markup: expanded, hadDoctype } = expandEntities(markup)
  const { root, extras } = parseTree(expanded)
  const removed = new Set<string>()
  if (hadDoctype || extras.has('doctype')) removed.add('doctype')
  if (extras.has('processing instruction')) removed.add('processing instruction')
  if (root.name !== 'svg') throw fail('SOURCE_DAMAGED')
  const cleaning: Cleaning = { removed, nesting, retyped: false }
  cleanElement(root, cleaning)
  return { markup: printTree(root), root, removed: [...removed].sort(), retyped: cleaning.retyped }
}

/**
 * Removes everything from an SVG that runs, loads or is not SVG (§4.4), and prints it again. Only listed content (`allowed.ts`) stays.
 * Fails with SVG_TOO_COMPLEX or SOURCE_DAMAGED.
 */
export const sanitiseSvg = (markup: string): Sanitised => sanitiseMarkup(markup, 0)
