/** The first tag of a markup document. */
export interface RootTag {
  /** Without prefix, as written. */
  readonly name: string
  /** By name as written; entities of the document's own are put in. */
  readonly attributes: ReadonlyMap<string, string>
}

/** What may stand before the first tag: white space, declarations, comments, a document type with its entities. */
const PROLOG = /(?:\s+|<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!DOCTYPE(?:[^[>"']|"[^"]*"|'[^']*')*(?:\[[\s\S]*?\]\s*)?>)/iy
const TAG = /<(?:[A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)/y
const ATTRIBUTE = /\s+([^\s=<>"'/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/y
const ENTITY = /<!ENTITY\s+([\w.-]+)\s+(?:"([^"]*)"|'([^']*)')/gi

/** Longest attribute that a size can be read from. */
const LONGEST_VALUE = 4_096

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

const prologEnd = (text: string): number => {
  let at = 0
  for (let match = matchAt(PROLOG, text, at); match !== null; match = matchAt(PROLOG, text, at)) at += match[0].length
  return at
}

const entitiesOf = (prolog: string): ReadonlyMap<string, string> =>
  new Map([...prolog.matchAll(ENTITY)].map(([, name = '', a, b]) => [name, (a ?? b ?? '').slice(0, LONGEST_VALUE)]))

/** The first tag, or undefined when the text does not begin as markup does. */
export const readRootTag = (text: string): RootTag | undefined => {
  const start = prologEnd(text)
  const tag = matchAt(TAG, text, start)
  if (tag === null) return undefined
  const entities = entitiesOf(text.slice(0, start))
  const attributes = new Map<string, string>()
  let at = start + tag[0].length
  for (let match = matchAt(ATTRIBUTE, text, at); match !== null; match = matchAt(ATTRIBUTE, text, at)) {
    at += match[0].length
    const value = (match[2] ?? match[3] ?? '').slice(0, LONGEST_VALUE)
    attributes.set(
      match[1] ?? '',
      value.replaceAll(/&([\w.-]+);/g, (whole, name: string) => entities.get(name) ?? whole),
    )
  }
  return { name: tag[1] ?? '', attributes }
}

const UTF16_MARKS: readonly (readonly [number, number, boolean])[] = [
  [0xff, 0xfe, true],
  [0xfe, 0xff, false],
  [0x3c, 0x00, true],
  [0x00, 0x3c, false],
]

/** Text of UTF-8 or UTF-16, told by its byte order mark or by its first `<`. */
export const decodeText = (bytes: Buffer): string => {
  const utf16 = UTF16_MARKS.find(([first, second]) => bytes[0] === first && bytes[1] === second)
  if (utf16 === undefined) return bytes.toString('utf8').replace(/^\ufeff/, '')
  const even = Buffer.from(bytes.subarray(0, bytes.length & ~1))
  return (utf16[2] ? even : even.swap16()).toString('utf16le').replace(/^\ufeff/, '')
}
