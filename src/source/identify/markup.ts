import { type Entities, expandReferences, readProlog } from '../../containers/xml.ts'
import { MAX_HEADER_ITEMS, MAX_VALUE_CHARS } from '../../core/untrusted-header.ts'

/** The root tag of a markup document. */
export interface RootTag {
  /** The local name as written. */
  readonly name: string
  /** The value of an attribute by its name as written, with the document's own entities expanded. undefined when absent or too long. */
  readonly attribute: (name: string) => string | undefined
}

const TAG = /<(?:[A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)/y
const ATTRIBUTE = /\s+([^\s=<>"'/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/y

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** Attribute values as written, by name. Leaves too long ones out. */
const readAttributes = (text: string, start: number): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  let at = start
  for (let count = 0; count < MAX_HEADER_ITEMS; count += 1) {
    const match = matchAt(ATTRIBUTE, text, at)
    if (match === null) break
    at += match[0].length
    const value = match[2] ?? match[3] ?? ''
    if (value.length <= MAX_VALUE_CHARS) found.set(match[1] ?? '', value)
  }
  return found
}

const NO_ENTITIES: Entities = new Map()

/**
 * The root tag. undefined when the text does not begin as markup. Takes time linear in the length of the text, since it runs on the
 * main loop.
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
      return expandReferences(value, doctype?.entities ?? NO_ENTITIES, MAX_VALUE_CHARS - value.length)
    },
  }
}

const UTF16_MARKS: readonly (readonly [number, number, boolean])[] = [
  [0xff, 0xfe, true],
  [0xfe, 0xff, false],
  [0x3c, 0x00, true],
  [0x00, 0x3c, false],
]

/** Decodes UTF-8 or UTF-16, distinguished by the byte order mark or the first `<`. */
export const decodeText = (bytes: Buffer): string => {
  const utf16 = UTF16_MARKS.find(([first, second]) => bytes[0] === first && bytes[1] === second)
  if (utf16 === undefined) return bytes.toString('utf8').replace(/^\ufeff/, '')
  const even = Buffer.from(bytes.subarray(0, bytes.length & ~1))
  return (utf16[2] ? even : even.swap16()).toString('utf16le').replace(/^\ufeff/, '')
}
