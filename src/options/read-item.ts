import type { OptionLimits } from './options.ts'
import { printClaim } from './print.ts'
import type { Claim, Pattern, Reading } from './row.ts'
import { expectedOfSize } from './rows/size.ts'
import type { Item } from './segment.ts'
import { OPTIONS_TABLE } from './table.ts'

/** The outcome of reading one item. */
export type ItemRead =
  | { readonly kind: 'empty'; readonly item: Item }
  /** `word` is the canonical form. `whys` is empty when the item is written correctly. */
  | {
      readonly kind: 'read'
      readonly item: Item
      readonly claim: Claim
      readonly word: string
      readonly whys: readonly string[]
    }
  /** `expected` completes "expected ...". Absent when no option resembles the item. */
  | { readonly kind: 'wrong'; readonly item: Item; readonly expected?: string }

const PATTERNS: readonly Pattern[] = OPTIONS_TABLE.flatMap((row) => row.patterns)

const ALIASES: ReadonlyMap<string, string> = new Map(
  OPTIONS_TABLE.flatMap(({ key, aliases = [] }) => aliases.map((alias) => [alias, key?.name ?? ''] as const)),
)

const EXPECTED_BY_KEY: ReadonlyMap<string, string> = new Map(
  OPTIONS_TABLE.flatMap(({ key }) => (key === undefined ? [] : [[key.name, key.expected] as const])),
)

/** Replaces the alias of an option by its name. Expects and returns lower case. */
const renameAlias = (text: string): string => {
  const equals = text.indexOf('=')
  const key = equals < 0 ? undefined : ALIASES.get(text.slice(0, equals))
  return key === undefined ? text : key + text.slice(equals)
}

/** Reads an item in lower case by the first pattern that matches it. undefined when none matches. */
export const readWord = (text: string, limits: OptionLimits): Reading | undefined => {
  for (const { match, read } of PATTERNS) {
    const groups = match.exec(text)
    if (groups !== null)
      return read(
        Array.from(groups, (group) => group ?? ''),
        limits,
      )
  }
  return undefined
}

/** Whether letter case is wrong: hex digits may have either, everything else is lower case. */
const hasWrongCase = (text: string, claim: Claim): boolean => {
  const cased =
    claim.kind === 'background' && claim.colour !== 'transparent' ? text.slice(0, text.indexOf('=') + 1) : text
  return cased !== cased.toLowerCase()
}

const expectedOf = (text: string): string | undefined =>
  EXPECTED_BY_KEY.get(text.slice(0, Math.max(0, text.indexOf('=')))) ?? expectedOfSize(text)

const wrongItem = (item: Item, expected: string | undefined): ItemRead =>
  expected === undefined ? { kind: 'wrong', item } : { kind: 'wrong', item, expected }

/** Reads one item of a list. */
export const readItem = (item: Item, limits: OptionLimits): ItemRead => {
  if (item.text === '') return { kind: 'empty', item }
  const lower = item.text.toLowerCase()
  const text = renameAlias(lower)
  const reading = readWord(text, limits)
  if (reading === undefined) return wrongItem(item, expectedOf(text))
  if (reading.kind === 'wrong') return wrongItem(item, reading.expected)
  const { claim, why } = reading
  const whys = [
    ...(why === undefined ? [] : [why]),
    ...item.whys,
    ...(text === lower ? [] : [`the option is called ${text.slice(0, text.indexOf('='))}`]),
    ...(why === undefined && hasWrongCase(item.text, claim) ? ['options are written in lower case'] : []),
  ]
  return { kind: 'read', item, claim, word: printClaim(claim), whys }
}
