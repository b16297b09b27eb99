import { type Entities, expandReferences, readProlog } from '../../containers/xml.ts'

/** The first tag of a markup document. */
export interface RootTag {
  /** Without prefix, as written. */
  readonly name: string
  /** The value of an attribute by its name as written, entities of the document's own put in; undefined when it is absent or too long. */
  readonly attribute: (name: string) => string | undefined
}

const TAG = /<(?:[A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)/y
const ATTRIBUTE = /\s+([^\s=<>"'/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/y

/** Longest attribute that a size is read from, before and after its entities are put in. */
const LONGEST_VALUE = 4_096
/** Attributes of a root tag that are looked at; editors write some dozens of namespaces. */
const MOST_ATTRIBUTES = 1_000

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** Values of attributes as written, by name; those that are too long are left out. */
const readAttributes = (text: string, start: number): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  let at = start
  for (let count = 0; count < MOST_ATTRIBUTES; count += 1) {
    const match = matchAt(ATTRIBUTE, text, at)
    if (match === null) break
    at += match[0].length
    const value = match[2] ?? match[3] ?? ''
    if (value.length <= LONGEST_VALUE) found.set(match[1] ?? '', value)
  }
  return found
}

const NO_ENTITIES: Entities = new Map()

/**
 * The first tag, or undefined when the text does not begin as markup does. The time it takes grows with the length of
 * the text and no faster: it runs where all requests wait for it.
 */
export const readRootTag = (text: string): RootTag | undefined => {
  const { end, doctype } = readProlog(text)
  const tag = matchAt(TAG, text, end)
  if (tag === null) return undefined
  const values = readAttributes(text, end + tag[0].length)
  return {
    name: tag[1] ?? '',
    attribute: (name) => {
      const value = values.get(name)
      if (value === undefined) return undefined
      return expandReferences(value, doctype?.entities ?? NO_ENTITIES, LONGEST_VALUE - value.length)
    },
  }
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
