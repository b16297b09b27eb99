import { DEFAULT_TIMEOUT } from './options.ts'
import { readWord } from './read-item.ts'
import { OPTIONS_TABLE } from './table.ts'

/** Maximum characters of an item that is compared: distances take quadratic time. */
const MAX_COMPARED_CHARS = 32

const WORDS: ReadonlyMap<string, string> = new Map(OPTIONS_TABLE.flatMap((row) => Object.entries(row.words)))

const KEYS: readonly string[] = OPTIONS_TABLE.flatMap(({ key, aliases = [] }) =>
  key === undefined ? aliases : [key.name, ...aliases],
)

const isRead = (text: string): boolean => readWord(text, { maxTimeout: DEFAULT_TIMEOUT })?.kind === 'read'

/** Edit distance (Damerau-Levenshtein, restricted): insertions, deletions, replacements, and swaps of neighbours. */
export const editDistance = (from: string, to: string): number => {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current[column] = Math.min(
        current[column - 1]! + 1,
        last[column]! + 1,
        last[column - 1]! + (same ? 0 : 1),
        swapped ? beforeLast[column - 2]! + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforeLast = last
    last = current
  }
  return last[to.length]!
}

/** Maximum edit distance at which a word of this length is recognised. */
const tolerance = (length: number): number => (length <= 2 ? 0 : length <= 4 ? 1 : length <= 8 ? 2 : 3)

/** The word nearest to a text. undefined when none is near enough to be a typing error. */
export const nearest = (text: string, words: Iterable<string>): string | undefined => {
  let best: string | undefined
  let least = tolerance(text.length) + 1
  for (const word of words) {
    // Words of two letters are skipped: they are near every short text.
    const distance = Math.abs(word.length - text.length) < least && word.length > 2 ? editDistance(text, word) : least
    if (distance < least) [best, least] = [word, distance]
  }
  return best
}

const nearestValue = (key: string, value: string): string | undefined => {
  const values = [...WORDS.keys()]
    .filter((word) => word.startsWith(`${key}=`))
    .map((word) => word.slice(key.length + 1))
  // An abbreviation that exactly one value begins with, such as `quality=hi`.
  const completions = value === '' ? [] : values.filter((known) => known.startsWith(value))
  const near = completions.length === 1 ? completions[0] : nearest(value, values)
  return near === undefined ? undefined : WORDS.get(`${key}=${near}`)
}

const suggestPair = (key: string, value: string): string | undefined => {
  const near = KEYS.includes(key) ? key : nearest(key, KEYS)
  if (near === undefined) return undefined
  if (isRead(`${near}=${value}`)) return `${near}=${value}`
  // When the key is right, the error text lists the values; suggesting an arbitrary one would not help.
  return nearestValue(near, value) ?? (near === key ? undefined : WORDS.get(near))
}

/** Separators in place of the comma. The strong ones occur in no option; the weak ones are part of some. */
const STRONG_SEPARATORS = /[;&|+\s\uff0c\uff1b\u3001]+/
const WEAK_SEPARATORS = /[;&|+\s/:_@]+|-(?=[a-z])/

const commasFor = (pieces: readonly string[]): string | undefined => {
  if (pieces.every((piece) => /^\d+$/.test(piece))) return pieces.slice(0, 2).join('x')
  return pieces.every(isRead) ? pieces.join(',') : undefined
}

/** Splits an item that is several items with other separators. `meant` has commas, and is present only when all parts are options. */
export const splitJoined = (text: string): { readonly meant?: string } | undefined => {
  const start = text.toLowerCase().slice(0, 200)
  const [strong, weak] = [STRONG_SEPARATORS, WEAK_SEPARATORS].map((separator) =>
    start.split(separator).filter((piece) => piece !== ''),
  )
  for (const pieces of [strong ?? [], weak ?? []]) {
    const meant = pieces.length < 2 ? undefined : commasFor(pieces)
    if (meant !== undefined) return { meant }
  }
  return (strong ?? []).length > 1 && strong?.some(isRead) ? {} : undefined
}

/** The item that was probably meant by an unknown option or an invalid value. undefined when none is near. */
export const suggest = (item: string): string | undefined => {
  const text = item.toLowerCase()
  if (text.length > MAX_COMPARED_CHARS) return undefined
  const known = WORDS.get(text)
  if (known !== undefined) return known
  const [, key, value] = /^([a-z-]+)[=:](.*)$/.exec(text) ?? []
  if (key !== undefined && value !== undefined) return suggestPair(key, value)
  const near = nearest(text, WORDS.keys())
  return near === undefined ? undefined : WORDS.get(near)
}
