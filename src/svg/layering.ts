import * as css from 'css-tree'
import { elementsOf } from './references.ts'
import type { Element } from './tree.ts'

/** Properties that draw an element on its own surface, with the values that do not. */
const NEUTRAL: ReadonlyMap<string, string> = new Map(
  Object.entries({
    opacity: '1',
    'mix-blend-mode': 'normal',
    isolation: 'auto',
    filter: 'none',
    mask: 'none',
  }),
)
/** Declarations of these properties in a style attribute, but not `fill-opacity`. */
const DECLARED = /(?<![\w-])(opacity|mix-blend-mode|isolation|filter|mask)\s*:\s*([^\s;!]*)/gi
const URL_REFERENCE = /url\(\s*["']?#([^\s"')]+)/gi

/** Effect of styles on drawing. */
export interface Layering {
  /** The element is drawn on its own surface. */
  readonly layered: boolean
  /** Ids of referenced filters, masks, patterns and markers. */
  readonly targets: readonly string[]
}

const NO_LAYERING: Layering = { layered: false, targets: [] }

const isLayering = (property: string, value: string): boolean => {
  const neutral = NEUTRAL.get(property)
  return neutral !== undefined && value.trim().toLowerCase() !== neutral
}

const targetsIn = (text: string): string[] => [...text.matchAll(URL_REFERENCE)].map(([, id]) => id!)

const ofStyleAttribute = (style: string): Layering => ({
  // An escaped name may be any of these properties.
  layered: style.includes('\\') || [...style.matchAll(DECLARED)].some(([, name, value]) => isLayering(name!, value!)),
  targets: targetsIn(style),
})

const join = (all: readonly Layering[]): Layering => ({
  layered: all.some(({ layered }) => layered),
  targets: all.flatMap(({ targets }) => targets),
})

/** The subject of a selector: `.class`, `#id`, `name`, or `*` for complex ones. */
const subjectOf = (selector: css.CssNode): string[] => {
  if (selector.type !== 'Selector') return ['*']
  const parts = selector.children.toArray()
  const last = parts.slice(parts.findLastIndex(({ type }) => type === 'Combinator') + 1)
  const names = last.flatMap((part) => {
    if (part.type === 'ClassSelector') return [`.${css.ident.decode(part.name)}`]
    if (part.type === 'IdSelector') return [`#${css.ident.decode(part.name)}`]
    return part.type === 'TypeSelector' && part.name !== '*' ? [css.ident.decode(part.name)] : []
  })
  return names.length === 0 || last.some(({ type }) => type.startsWith('Pseudo')) ? ['*'] : names.slice(0, 1)
}

const ofRule = (rule: css.Rule): Layering => {
  const declarations = rule.block.children.toArray().filter((node) => node.type === 'Declaration')
  const all = declarations.map(({ property, value }) => {
    const text = css.generate(value)
    return { layered: isLayering(css.ident.decode(property).toLowerCase(), text), targets: targetsIn(text) }
  })
  return join(all)
}

const readRules = (sheet: string, rules: Map<string, Layering[]>): void => {
  css.walk(css.parse(sheet), (node) => {
    if (node.type !== 'Rule') return
    const layering = ofRule(node)
    if (!layering.layered && layering.targets.length === 0) return
    const selectors = node.prelude.type === 'SelectorList' ? node.prelude.children.toArray() : [node.prelude]
    for (const subject of new Set(selectors.flatMap(subjectOf)))
      rules.set(subject, [...(rules.get(subject) ?? []), layering])
  })
}

const sheetsOf = (root: Element): string[] =>
  [...elementsOf(root)]
    .filter(({ name }) => name === 'style')
    .map(({ children }) => children.map((child) => (child.kind === 'text' ? child.text : '')).join(''))

/**
 * Returns a function that finds the layering of an element from its attributes and the document's style sheets. Only the first name of a
 * selector's subject is compared, so it may overestimate.
 */
export const layeringOf = (root: Element): ((element: Element) => Layering) => {
  const listed = new Map<string, Layering[]>()
  for (const sheet of sheetsOf(root)) readRules(sheet, listed)
  const rules = new Map([...listed].map(([subject, all]) => [subject, join(all)]))
  const ruleFor = (subject: string): Layering => rules.get(subject) ?? NO_LAYERING
  const fromRules = ({ name, attributes }: Element): readonly Layering[] =>
    rules.size === 0
      ? []
      : [
          ruleFor('*'),
          ruleFor(name),
          ruleFor(`#${attributes.get('id') ?? ''}`),
          ...(attributes.get('class') ?? '').split(/\s+/).map((one) => ruleFor(`.${one}`)),
        ]
  return (element) => {
    const own = [...element.attributes].map(([name, value]) =>
      name === 'style' ? ofStyleAttribute(value) : { layered: isLayering(name, value), targets: targetsIn(value) },
    )
    return join([...own, ...fromRules(element)])
  }
}
