import { fail } from '../core/failure.ts'
import { SVG_LIMITS } from './limits.ts'

/** A DOCTYPE with its internal subset. Quoted strings may hold any of the delimiters. */
const DOCTYPE =
  /<!DOCTYPE(?:[^<>[\]"']|"[^"]*"|'[^']*')*(?:\[((?:[^\]"'<]|"[^"]*"|'[^']*'|<!--[\s\S]*?-->|<[^>"'-]?(?:[^>"']|"[^"]*"|'[^']*')*>)*)\]\s*)?>/i
/** Only internal general entities: SYSTEM and PUBLIC ones are outside the document and stay unknown. */
const ENTITY = /<!ENTITY\s+([^\s%"'<>&;]+)\s+(?:"([^"]*)"|'([^']*)')\s*>/g
const OPAQUE_OR_REFERENCE = /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|&([^\s#&;<>"']+);/g
const PREDEFINED = new Set(['lt', 'gt', 'amp', 'quot', 'apos'])

export interface Expanded {
  readonly markup: string
  readonly hadDoctype: boolean
}

const readEntities = (subset: string): Map<string, string> => {
  const entities = new Map<string, string>()
  for (const [, name, double, single] of subset.replace(/<!--[\s\S]*?-->/g, '').matchAll(ENTITY)) {
    if (name !== undefined && !entities.has(name)) entities.set(name, double ?? single ?? '')
  }
  return entities
}

/** Replaces references as text, with one budget for the whole document: "billion laughs" ends at the limit. */
const replaceReferences = (markup: string, entities: ReadonlyMap<string, string>): string => {
  let budget: number = SVG_LIMITS.entityText
  const replace = (text: string, open: readonly string[]): string =>
    text.replace(OPAQUE_OR_REFERENCE, (whole: string, name: string | undefined) => {
      if (name === undefined || PREDEFINED.has(name)) return whole
      const value = entities.get(name)
      if (value === undefined || open.includes(name)) return ''
      budget -= value.length + 1
      if (budget < 0) throw fail('SVG_TOO_COMPLEX', 'its entities expand to too much text')
      return replace(value, [...open, name])
    })
  return replace(markup, [])
}

/** Takes the DOCTYPE away and puts the text of internal entities in place of their references; external and unknown ones become nothing. */
export const expandEntities = (markup: string): Expanded => {
  const found = DOCTYPE.exec(markup)
  const entities = readEntities(found?.[1] ?? '')
  const body = found === null ? markup : markup.slice(0, found.index) + markup.slice(found.index + found[0].length)
  return { markup: replaceReferences(body, entities), hadDoctype: found !== null || /<!DOCTYPE/i.test(markup) }
}
