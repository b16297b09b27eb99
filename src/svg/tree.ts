import type sax from 'sax'
import { openSax } from '../containers/open-sax.ts'
import { fail } from '../core/failure.ts'
import { SVG_LIMITS } from './limits.ts'

const SVG_NAMESPACE = 'http://www.w3.org/2000/svg'
const XLINK_NAMESPACE = 'http://www.w3.org/1999/xlink'
const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace'
const XMLNS_NAMESPACE = 'http://www.w3.org/2000/xmlns/'

export interface Text {
  readonly kind: 'text'
  text: string
}

/** An element with names without prefixes, except for `xlink:` and `xml:` attributes. */
export interface Element {
  readonly kind: 'element'
  /** Local name in SVG, or `{namespace}name`. */
  readonly name: string
  readonly attributes: Map<string, string>
  children: Node[]
}

export type Node = Element | Text

export interface Parsed {
  readonly root: Element
  /** Kinds of other nodes: 'processing instruction', 'comment', 'doctype'. */
  readonly extras: ReadonlySet<string>
}

const ATTRIBUTE_PREFIX: ReadonlyMap<string, string> = new Map([
  [XLINK_NAMESPACE, 'xlink:'],
  [XML_NAMESPACE, 'xml:'],
])

/** A document without a namespace counts as SVG, as in librsvg. */
const elementName = (tag: sax.QualifiedTag): string =>
  tag.uri === SVG_NAMESPACE || tag.uri === '' ? tag.local : `{${tag.uri}}${tag.local}`

const attributeName = (attribute: sax.QualifiedAttribute): string =>
  attribute.prefix === ''
    ? attribute.local
    : `${ATTRIBUTE_PREFIX.get(attribute.uri) ?? `{${attribute.uri}}`}${attribute.local}`

const readAttributes = (tag: sax.QualifiedTag): Map<string, string> =>
  new Map(
    Object.values(tag.attributes)
      .filter((attribute) => attribute.uri !== XMLNS_NAMESPACE && attribute.name !== 'xmlns')
      .map((attribute) => [attributeName(attribute), attribute.value]),
  )

/**
 * Parses XML with expanded entities, and closes a truncated end. Fails with SVG_TOO_COMPLEX beyond the limits, and with SOURCE_DAMAGED
 * when it cannot be parsed.
 */
export const parseTree = (markup: string): Parsed => {
  const parser = openSax()
  // `expandEntities` has expanded ours with its own limit. Only `&amp;` and the like remain.
  Object.assign(parser.opt, { maxEntityCount: Number.POSITIVE_INFINITY })
  const extras = new Set<string>()
  const open: Element[] = []
  let root: Element | undefined
  let elements = 0

  const add = (node: Node): void => {
    open.at(-1)?.children.push(node)
  }
  const addText = (text: string): void => {
    const last = open.at(-1)?.children.at(-1)
    if (last?.kind === 'text') last.text += text
    else add({ kind: 'text', text })
  }
  parser.onopentag = (tag) => {
    elements += 1
    if (elements > SVG_LIMITS.elements)
      throw fail('SVG_TOO_COMPLEX', `it has more than ${SVG_LIMITS.elements} elements`)
    if (open.length >= SVG_LIMITS.depth)
      throw fail('SVG_TOO_COMPLEX', `it is nested more than ${SVG_LIMITS.depth} deep`)
    const qualified = tag as sax.QualifiedTag
    const element: Element = {
      kind: 'element',
      name: elementName(qualified),
      attributes: readAttributes(qualified),
      children: [],
    }
    add(element)
    root ??= element
    open.push(element)
  }
  parser.onclosetag = () => {
    open.pop()
  }
  parser.ontext = addText
  parser.oncdata = addText
  parser.oncomment = () => void extras.add('comment')
  parser.ondoctype = () => void extras.add('doctype')
  parser.onsgmldeclaration = () => void extras.add('doctype')
  parser.onprocessinginstruction = ({ name }) => {
    if (name.toLowerCase() !== 'xml') extras.add('processing instruction')
  }
  parser.onerror = (error) => {
    if (!/Unexpected end|Unclosed root/.test(error.message)) throw fail('SOURCE_DAMAGED')
    ;(parser as { error: Error | null }).error = null
  }
  parser.write(markup).close()
  if (root === undefined) throw fail('SOURCE_DAMAGED')
  return { root, extras }
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;', "'": '&#39;' }
/** Characters that XML 1.0 (section 2.2) forbids in any notation. Browsers refuse documents with them. */
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g
const escapeText = (text: string): string =>
  text
    .replace(FORBIDDEN, '')
    .replace(/[&<]/g, (c) => ENTITIES[c]!)
    .replaceAll(']]>', ']]&gt;')

/** Quotes a value with fewer bytes. Escapes `<`, so that no HTML parser sees a tag. */
const quote = (value: string): string => {
  const text = value.replace(/\s/g, ' ').replace(FORBIDDEN, '')
  const mark = text.includes('"') && !text.includes("'") ? "'" : '"'
  return `${mark}${text.replace(/[&<"']/g, (c) => (c === (mark === '"' ? "'" : '"') ? c : ENTITIES[c]!))}${mark}`
}

const isEmpty = (node: Node): boolean => node.kind === 'text' && node.text === ''

/** Appends the markup of a node to `out`. Joining at every level would copy deep documents repeatedly. */
const printInto = (out: string[], node: Node): void => {
  if (node.kind === 'text') {
    out.push(escapeText(node.text))
    return
  }
  out.push(`<${node.name}`)
  for (const [name, value] of node.attributes) out.push(` ${name}=${quote(value)}`)
  if (node.children.every(isEmpty)) {
    out.push('/>')
    return
  }
  out.push('>')
  for (const child of node.children) printInto(out, child)
  out.push(`</${node.name}>`)
}

const usesXlink = (element: Element): boolean =>
  [...element.attributes.keys()].some((name) => name.startsWith('xlink:')) ||
  element.children.some((child) => child.kind === 'element' && usesXlink(child))

/** Prints a sanitised tree as SVG markup with the namespaces that it needs. */
export const printTree = (root: Element): string => {
  const namespaces: [string, string][] = [['xmlns', SVG_NAMESPACE]]
  if (usesXlink(root)) namespaces.push(['xmlns:xlink', XLINK_NAMESPACE])
  const out: string[] = []
  printInto(out, { ...root, attributes: new Map([...namespaces, ...root.attributes]) })
  return out.join('')
}
