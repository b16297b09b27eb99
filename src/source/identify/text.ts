import { type Failure, fail } from '../../core/failure.ts'
import { decodeText, readRootTag } from './markup.ts'
import type { HeaderFacts } from './reader.ts'
import { readSvg } from './svg.ts'

/** Root tags of web pages (WHATWG MIME Sniffing, section 7.1). */
const HTML = /^(html|head|body|script|iframe|h1|div|font|table|a|style|title|b|br|p|meta|link|center|form|span)$/i

/** Beginnings of text files and their names. The first row that matches counts. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^\s*<!doctype\s+html/i, 'an HTML page'],
  [/^\s*<(\?xml|[a-z!])/i, 'an XML document'],
  [/^version https:\/\/git-lfs/, 'a Git LFS pointer instead of the file itself'],
  [/^\s*[[{]\s*["[{}\]\d]/, 'JSON'],
  [/^%!PS/, 'PostScript'],
]

const isText = (text: string): boolean =>
  text.length > 0 && !/[\0-\x08\x0e-\x1a\x1c-\x1f\ufffd]/.test(text.slice(0, 1024))

/** The failure for a text, or for binary data. */
const notAnImage = (text: string, rootName: string | undefined): Failure => {
  if (rootName !== undefined && HTML.test(rootName)) return fail('NOT_AN_IMAGE', 'an HTML page')
  const kind = KINDS.find(([pattern]) => pattern.test(text))?.[1]
  return fail('NOT_AN_IMAGE', kind ?? (isText(text) ? 'plain text' : 'data of an unknown kind'))
}

/** Reads SVG from the beginning of a text file. Fails with NOT_AN_IMAGE for other text. */
export const readText = (bytes: Buffer): HeaderFacts => {
  const text = decodeText(bytes)
  const root = readRootTag(text)
  if (root?.name === 'svg') return readSvg(root)
  throw notAnImage(text, root?.name)
}
