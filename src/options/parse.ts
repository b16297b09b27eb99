import { type Failure, fail } from '../core/failure.ts'
import { MAX_SHOWN_ITEMS } from '../core/shown-text.ts'
import { MAX_VALUE_CHARS } from '../core/untrusted-header.ts'
import type { OptionLimits, Options } from './options.ts'
import { isOverridden, splitPresets } from './presets.ts'
import { type ItemRead, readItem } from './read-item.ts'
import { splitSegment } from './segment.ts'
import { settleOptions } from './settle.ts'
import { splitJoined, suggest } from './suggest.ts'

export type OptionsRead =
  /** At most 8 warnings, each printable ASCII of at most 200 bytes. The order of the items does not affect them. */
  | { readonly kind: 'ok'; readonly options: Options; readonly warnings: readonly string[] }
  | { readonly kind: 'wrong'; readonly failure: Failure }

/** Limits of the Warnings of one response (§5.3). */
export const WARNINGS = {
  /** Warnings. */
  max: 8,
  /** Bytes of each. */
  maxBytes: 200,
} as const

const EVERY_OPTION =
  'Options are a size such as 300x200 or full, 2x, 3x, fit, scale-down, crop, pad, trim=border, bgcolor=, quality=, format=, gamut=, meta=, max-bytes=, preset= and timeout=.'

type WrongItem = Extract<ItemRead, { kind: 'wrong' }>

const didYouMean = (meant: string | undefined): string => (meant === undefined ? '' : ` Did you mean "${meant}"?`)

/** The error text about one item: what was expected, and what was probably meant (§2.3). */
export const explainWrong = ({ item, expected }: WrongItem): string => {
  if (item.isTooLong === true)
    return `"${item.shown}" is too long: a list of options has at most ${MAX_VALUE_CHARS} characters.`
  const joined = splitJoined(item.text)
  if (joined !== undefined)
    return `"${item.shown}" is wrong: options are separated by commas.${didYouMean(joined.meant)}`
  const meant = didYouMean(suggest(item.text))
  return expected === undefined
    ? `"${item.shown}" is not an option.${meant}`
    : `"${item.shown}" is wrong: expected ${expected}.${meant}`
}

/** Whether no option is near an item, so that only the list of all options can help. */
const resemblesNoOption = ({ item, expected }: WrongItem): boolean =>
  expected === undefined &&
  item.isTooLong !== true &&
  splitJoined(item.text) === undefined &&
  suggest(item.text) === undefined

const listProblems = (wrong: readonly WrongItem[]): readonly string[] => {
  const rest = wrong.length - MAX_SHOWN_ITEMS
  return [
    ...wrong.slice(0, MAX_SHOWN_ITEMS).map(explainWrong),
    ...(rest > 0 ? [`And ${rest} more ${rest === 1 ? 'item is' : 'items are'} wrong.`] : []),
    ...(wrong.slice(0, MAX_SHOWN_ITEMS).some(resemblesNoOption) ? [EVERY_OPTION] : []),
  ]
}

const sayWord = ({ claim, word }: Extract<ItemRead, { kind: 'read' }>): string => {
  if (claim.kind === 'size' && claim.width === undefined) return `a maximum height of ${claim.height}`
  return claim.kind === 'format' && claim.format === 'auto' ? 'the automatic format' : word
}

/** The Warning about one item: how it was read, and why it was slightly wrong. undefined when it was right. */
export const warningOn = (read: ItemRead): string | undefined => {
  if (read.kind !== 'read' || read.whys.length === 0) return undefined
  return `${read.item.shown} was read as ${sayWord(read)}: ${read.whys.join('; ')}.`.slice(0, WARNINGS.maxBytes)
}

const capWarnings = (warnings: readonly string[]): readonly string[] => {
  const sorted = [...new Set(warnings)].sort()
  if (sorted.length <= WARNINGS.max) return sorted
  const kept = sorted.slice(0, WARNINGS.max - 1)
  return [...kept, `${sorted.length - kept.length} more warnings on the options are left out.`]
}

/** Whether an address stands in place of the options (§2.5): a scheme, or only a host or file name. */
const looksLikeAddress = (reads: readonly ItemRead[]): boolean =>
  reads.some(({ item }) => /^(?:https?|ftp|file|data):/i.test(item.text)) ||
  (reads.length === 1 &&
    reads[0]?.kind === 'wrong' &&
    /^(?=.{1,253}$)[a-z\d_-]+(?:\.[a-z\d_-]+)*\.[a-z]{2,}(?::\d+)?$/i.test(reads[0].item.text))

/** Reads every item of a raw segment. */
export const readSegment = (segment: string, limits: OptionLimits): readonly ItemRead[] => {
  const { given, ofPreset } = splitPresets(splitSegment(segment), limits)
  const reads = given.map((item) => readItem(item, limits))
  const preset = ofPreset.map((item) => readItem(item, limits))
  return [...reads, ...preset.filter((read) => !isOverridden(read, reads))]
}

/** Checks the items of a list; see {@link parseOptions}. */
export const checkItems = (reads: readonly ItemRead[], limits: OptionLimits): OptionsRead => {
  if (reads.every(({ kind }) => kind === 'empty')) return { kind: 'wrong', failure: fail('OPTIONS_MISSING') }
  if (looksLikeAddress(reads)) return { kind: 'wrong', failure: fail('IMAGE_URL_IN_OPTIONS') }
  const wrong = reads.filter((read) => read.kind === 'wrong')
  if (wrong.length > 0) return { kind: 'wrong', failure: fail('OPTIONS_WRONG', listProblems(wrong)) }
  const good = reads.filter((read) => read.kind === 'read')
  const { options, warnings } = settleOptions(good, limits)
  const onItems = good.map(warningOn).filter((warning) => warning !== undefined)
  const empty = good.length < reads.length ? ['Empty items were left out: there are superfluous commas.'] : []
  return { kind: 'ok', options, warnings: capWarnings([...onItems, ...empty, ...warnings]) }
}

/** Parses the raw, percent-encoded options segment of an address (§2). Never throws. Linear in the length of the segment. */
export const parseOptions = (segment: string, limits: OptionLimits): OptionsRead =>
  checkItems(readSegment(segment, limits), limits)
