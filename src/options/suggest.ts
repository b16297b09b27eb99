import { DEFAULT_TIMEOUT } from './options.ts'
import { readWord } from './read-item.ts'
import { OPTIONS_TABLE } from './table.ts'

/** Longer items are not compared: nothing is near them, and distances are quadratic. */
const MOST_COMPARED = 32

const WORDS: ReadonlyMap<string, string> = new Map(OPTIONS_TABLE.flatMap((row) => Object.entries(row.words)))

const KEYS: readonly string[] = OPTIONS_TABLE.flatMap(({ key, aliases = [] }) =>
  key === undefined ? aliases : [key.name, ...aliases],
)

const isRead = (text: string): boolean => readWord(text, { maxTimeout: DEFAULT_TIMEOUT })?.kind === 'read'

/** Edits that turn one word into another: insert, delete, replace, or swap two neighbours. */
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

/** How many edits a word of some length may be off and still be recognised. */
const tolerance = (length: number): number => (length <= 2 ? 0 : length <= 4 ? 1 : length <= 8 ? 2 : 3)

const nearest = (text: string, words: Iterable<string>): string | undefined => {
  let best: string | undefined
  let least = tolerance(text.length) + 1
  for (const word of words) {
    // A word of two letters is near everything short.
    const distance = Math.abs(word.length - text.length) < least && word.length > 2 ? editDistance(text, word) : least
    if (distance < least) [best, least] = [word, distance]
  }
  return best
}

const nearestValue = (key: string, value: string): string | undefined => {
  const values = [...WORDS.keys()]
    .filter((word) => word.startsWith(`${key}=`))
    .map((word) => word.slice(key.length + 1))
  const near = nearest(value, values)
  return near === undefined ? undefined : WORDS.get(`${key}=${near}`)
}

const suggestPair = (key: string, value: string): string | undefined => {
  const near = KEYS.includes(key) ? key : nearest(key, KEYS)
  if (near === undefined) return undefined
  if (isRead(`${near}=${value}`)) return `${near}=${value}`
  // With the right key the text says what was expected; an arbitrary value would be no help.
  return nearestValue(near, value) ?? (near === key ? undefined : WORDS.get(near))
}

/** What stands for the comma: the strong ones can hardly be anything else, the weak ones are part of some options. */
const STRONG = /[;&|+\s\uff0c\uff1b\u3001]+/
const WEAK = /[;&|+\s/:_@]+|-(?=[a-z])/

const commasFor = (pieces: readonly string[]): string | undefined => {
  if (pieces.every((piece) => /^\d+$/.test(piece))) return pieces.slice(0, 2).join('x')
  return pieces.every(isRead) ? pieces.join(',') : undefined
}

/** The list with commas, when an item is several items joined by something else; `meant` only when all are options. */
export const splitJoined = (text: string): { readonly meant?: string } | undefined => {
  const start = text.toLowerCase().slice(0, 200)
  const [strong, weak] = [STRONG, WEAK].map((separator) => start.split(separator).filter((piece) => piece !== ''))
  for (const pieces of [strong ?? [], weak ?? []]) {
    const meant = pieces.length < 2 ? undefined : commasFor(pieces)
    if (meant !== undefined) return { meant }
  }
  return (strong ?? []).length > 1 && strong?.some(isRead) ? {} : undefined
}

/** The item that was probably meant by one that is no option, or has a value it cannot have; only when one is near. */
export const suggest = (item: string): string | undefined => {
  const text = item.toLowerCase()
  if (text.length > MOST_COMPARED) return undefined
  const known = WORDS.get(text)
  if (known !== undefined) return known
  const [, key, value] = /^([a-z-]+)[=:](.*)$/.exec(text) ?? []
  if (key !== undefined && value !== undefined) return suggestPair(key, value)
  const near = nearest(text, WORDS.keys())
  return near === undefined ? undefined : WORDS.get(near)
}
