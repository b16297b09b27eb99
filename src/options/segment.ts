import { MAX_SHOWN_CHARS } from '../core/shown-text.ts'
import { MAX_VALUE_CHARS } from '../core/untrusted-header.ts'

/** One item of a raw option list. */
export interface Item {
  /** The item as sent: printable ASCII without quotes or backslashes, at most 40 characters, safe in a header. */
  readonly shown: string
  /** Decoded, without stray spaces, in its original letter case. */
  readonly text: string
  /** Slight errors in its spelling. */
  readonly whys: readonly string[]
  /** It is a whole list that exceeds the limit of characters. */
  readonly isTooLong?: boolean
}

/** Makes a text safe for a header or an error text. See {@link Item.shown}. */
const printSegment = (raw: string): string => {
  const start = raw.slice(0, 2 * MAX_SHOWN_CHARS).toWellFormed()
  const clean = start.replaceAll(/[^\x21\x23-\x5b\x5d-\x7e]+/g, encodeURIComponent)
  return clean.length > MAX_SHOWN_CHARS ? `${clean.slice(0, MAX_SHOWN_CHARS - 3)}...` : clean
}

const bytesOf = (escapes: string): Uint8Array =>
  Uint8Array.from(escapes.slice(1).split('%'), (hex) => Number.parseInt(hex, 16))

/** Decodes percent-escapes. Malformed ones stay unchanged; invalid UTF-8 becomes U+FFFD. Never throws. */
export const decodeEscapes = (raw: string): string =>
  raw.replaceAll(/(?:%[\da-f]{2})+/gi, (escapes) => new TextDecoder().decode(bytesOf(escapes)))

/** Removes spaces around an item and its `=`. `+` is a space in form encoding. Inside an item it stays, and the item is refused. */
const stripSpaces = (text: string): string =>
  text
    .replace(/^[\s+]+/, '')
    .replace(/(?<![\s+])[\s+]+$/, '')
    .replaceAll(/(?<![\s+])[\s+]*=[\s+]*/g, '=')
    // Not after a single digit: `2x 300` is a density and a width.
    .replaceAll(/(?<=\d|px)[\s+]+(?=x[\s+]*\d)|(?<=\d\dx|pxx|[\s+]x)[\s+]+(?=\d)/gi, '')

/** Replaces a multiplication sign or asterisk between two sides by x. */
const plainTimes = (text: string): string => text.replaceAll(/(?<=\d|px)\s?[\u00d7*]\s?(?=\d)/g, 'x')

const readItem = (raw: string): Item => {
  const decoded = decodeEscapes(raw)
  const times = plainTimes(decoded)
  const text = stripSpaces(times)
  const whys = [
    ...(times === decoded ? [] : ['sides are joined by an x']),
    ...(text === times ? [] : ['options hold no spaces']),
  ]
  return { shown: printSegment(raw), text, whys }
}

/**
 * Splits a raw path segment at commas, including encoded ones. Items may be empty. A segment of thousands of characters is one item, which
 * is no option: each item costs time, and the texts about it too.
 */
export const splitSegment = (segment: string): readonly Item[] =>
  segment.length > MAX_VALUE_CHARS
    ? [{ ...readItem(segment), isTooLong: true }]
    : segment.split(/,|%2c/i).map((raw) => readItem(raw))
