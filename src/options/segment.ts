/** One item of a raw option list. */
export interface Item {
  /** As it was sent, printable ASCII without quotes or backslashes, at most 40 characters: fit for a header. */
  readonly shown: string
  /** Decoded, without stray spaces, in its own letter case. */
  readonly text: string
  /** What is wrong with its writing so far. */
  readonly whys: readonly string[]
}

const MOST_SHOWN = 40

/** Makes anything fit for a header or an error text; see {@link Item.shown}. */
const printSegment = (raw: string): string => {
  const start = raw.slice(0, 2 * MOST_SHOWN).toWellFormed()
  const clean = start.replaceAll(/[^\x21\x23-\x5b\x5d-\x7e]+/g, encodeURIComponent)
  return clean.length > MOST_SHOWN ? `${clean.slice(0, MOST_SHOWN - 3)}...` : clean
}

const bytesOf = (escapes: string): Uint8Array =>
  Uint8Array.from(escapes.slice(1).split('%'), (hex) => Number.parseInt(hex, 16))

/** Decodes percent-escapes; malformed ones stay as they are, bytes that are no UTF-8 become U+FFFD. Never throws. */
export const decodeEscapes = (raw: string): string =>
  raw.replaceAll(/(?:%[\da-f]{2})+/gi, (escapes) => new TextDecoder().decode(bytesOf(escapes)))

/** `+` is a space in form encoding, which some clients apply; inside an item it is left to be refused. */
const stripSpaces = (text: string): string =>
  text
    .replace(/^[\s+]+/, '')
    .replace(/(?<![\s+])[\s+]+$/, '')
    .replaceAll(/(?<![\s+])[\s+]*=[\s+]*/g, '=')
    // Not after a single digit: 2x 300 is a density and a width.
    .replaceAll(/(?<=\d|px)[\s+]+(?=x[\s+]*\d)|(?<=\d\dx|pxx|[\s+]x)[\s+]+(?=\d)/gi, '')

/** A multiplication sign or asterisk between two sides means x. */
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

/** Splits a raw path segment at commas, encoded ones too. Items may be empty. */
export const splitSegment = (segment: string): readonly Item[] => segment.split(/,|%2c/i).map(readItem)
