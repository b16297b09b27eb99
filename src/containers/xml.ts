/**
 * Reads the prolog of an XML document and the entities that it declares (XML 1.0, sections 2.8 and 4). Uses scanners instead of regular
 * expressions, so that each character is read a bounded number of times in any document.
 */

/** Names and replacement texts of internal general entities. The first declaration of a name counts. */
export type Entities = ReadonlyMap<string, string>

/** A document type declaration: its range and its entities. */
export interface Doctype {
  readonly start: number
  /** Offset after its `>`. */
  readonly end: number
  readonly entities: Entities
}

/** The part before the first tag. */
export interface Prolog {
  /** Offset of the first thing other than white space, declarations, comments, processing instructions and document types. */
  readonly end: number
  readonly doctype?: Doctype
}

/** Constructs that are skipped as a whole. */
const OPAQUE: readonly (readonly [open: string, close: string])[] = [
  ['<!--', '-->'],
  ['<?', '?>'],
  ['<![CDATA[', ']]>'],
]

/** The offset after a comment, processing instruction or CDATA section at `at`. undefined without one, Infinity when it never ends. */
const afterOpaque = (text: string, at: number): number | undefined => {
  const row = OPAQUE.find(([open]) => text.startsWith(open, at))
  if (row === undefined) return undefined
  const found = text.indexOf(row[1], at + row[0].length)
  return found < 0 ? Number.POSITIVE_INFINITY : found + row[1].length
}

/** The offset of the first character of `stops` at or after `at`, outside of quoted strings. undefined without one. */
const findOutsideQuotes = (text: string, at: number, stops: string): number | undefined => {
  for (let i = at; i < text.length; i += 1) {
    const char = text[i]!
    if (stops.includes(char)) return i
    if (char !== '"' && char !== "'") continue
    i = text.indexOf(char, i + 1)
    if (i < 0) return undefined
  }
  return undefined
}

/** An internal general entity. SYSTEM and PUBLIC ones are external, and stay unknown. */
const ENTITY = /^<!ENTITY\s+([^\s%"'<>&;]+)\s+(?:"([^"]*)"|'([^']*)')\s*>$/

const declare = (declaration: string, entities: Map<string, string>): void => {
  const [, name, double, single] = ENTITY.exec(declaration) ?? []
  if (name !== undefined && !entities.has(name)) entities.set(name, double ?? single ?? '')
}

/** Reads the declarations between `[` and `]`. Returns the offset after `]`, or undefined without one. */
const readSubset = (text: string, start: number, entities: Map<string, string>): number | undefined => {
  let at = start
  while (at < text.length) {
    if (text[at] === ']') return at + 1
    if (text[at] !== '<') {
      at += 1
      continue
    }
    const after = afterOpaque(text, at)
    const last = after === undefined ? findOutsideQuotes(text, at, '>') : after - 1
    if (last === undefined) return undefined
    if (after === undefined) declare(text.slice(at, last + 1), entities)
    at = last + 1
  }
  return undefined
}

const DOCTYPE = '<!doctype'

/** The document type declaration at `start`. undefined without one, or when it never ends. */
const readDoctype = (text: string, start: number): Doctype | undefined => {
  if (text.slice(start, start + DOCTYPE.length).toLowerCase() !== DOCTYPE) return undefined
  const entities = new Map<string, string>()
  const stop = findOutsideQuotes(text, start + DOCTYPE.length, '[>')
  if (stop === undefined) return undefined
  if (text[stop] === '>') return { start, end: stop + 1, entities }
  const close = readSubset(text, stop + 1, entities)
  const last = close === undefined ? undefined : findOutsideQuotes(text, close, '>')
  return last === undefined ? undefined : { start, end: last + 1, entities }
}

const SPACE = /\s*/y

const afterSpace = (text: string, at: number): number => {
  SPACE.lastIndex = at
  return at + (SPACE.exec(text)?.[0].length ?? 0)
}

/** Reads the part before the first tag. Does not skip constructs that never end. Reads at most one document type. */
export const readProlog = (text: string): Prolog => {
  let at = 0
  let doctype: Doctype | undefined
  for (;;) {
    at = afterSpace(text, at)
    const read = doctype === undefined ? readDoctype(text, at) : undefined
    doctype ??= read
    const after = read?.end ?? (text.startsWith('<![', at) ? undefined : afterOpaque(text, at))
    if (after === undefined || after === Number.POSITIVE_INFINITY)
      return { end: at, ...(doctype === undefined ? {} : { doctype }) }
    at = after
  }
}

/** Entities of XML itself. They stay for its parser. */
const PREDEFINED: ReadonlySet<string> = new Set(['lt', 'gt', 'amp', 'quot', 'apos'])
/** Maximum depth of entities in entities. Editors nest one or two deep. */
const MAX_DEPTH = 16

const REFERENCE = /&([^\s#&;<>"']+);/y

const referenceAt = (text: string, at: number): RegExpExecArray | null => {
  REFERENCE.lastIndex = at
  return REFERENCE.exec(text)
}

/** Offsets of `&` and `<` outside of comments, processing instructions and CDATA sections. */
function* marksOf(text: string): Generator<number, void, undefined> {
  const mark = /[&<]/g
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    const after = found[0] === '<' ? afterOpaque(text, found.index) : undefined
    if (after === Number.POSITIVE_INFINITY) return
    if (after !== undefined) mark.lastIndex = after
    else if (found[0] === '&') yield found.index
  }
}

/**
 * Expands references to entities, including nested ones. Undeclared and recursive ones become empty. undefined when that would add more
 * than `most` characters ("billion laughs").
 */
export const expandReferences = (text: string, entities: Entities, most: number): string | undefined => {
  let left = most
  const expand = (part: string, open: readonly string[]): string | undefined => {
    const pieces: string[] = []
    let copied = 0
    for (const at of marksOf(part)) {
      const [whole = '', name = ''] = referenceAt(part, at) ?? []
      if (whole === '' || PREDEFINED.has(name)) continue
      const value = open.includes(name) ? undefined : entities.get(name)
      left -= value === undefined ? 0 : value.length + 1
      if (left < 0 || open.length >= MAX_DEPTH) return undefined
      const inner = value === undefined ? '' : expand(value, [...open, name])
      if (inner === undefined) return undefined
      pieces.push(part.slice(copied, at), inner)
      copied = at + whole.length
    }
    pieces.push(part.slice(copied))
    return pieces.join('')
  }
  return expand(text, [])
}
