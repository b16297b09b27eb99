import type { OptionLimits } from './options.ts'
import { checkItems, readSegment } from './parse.ts'
import { printOptions } from './print.ts'
import type { ItemRead } from './read-item.ts'
import { splitJoined, suggest } from './suggest.ts'

const meant = (read: ItemRead): string | undefined => {
  if (read.kind === 'empty') return undefined
  if (read.kind === 'read') return read.word
  return splitJoined(read.item.text)?.meant ?? suggest(read.item.text)
}

/**
 * The list that was probably meant, in its canonical form. Slightly wrong items are replaced by what they were read as, wrong ones by
 * their nearest option, or left out without one. undefined when no item can be understood.
 */
export const correctSegment = (segment: string, limits: OptionLimits): string | undefined => {
  const words = readSegment(segment, limits).flatMap((read) => meant(read) ?? [])
  if (words.length === 0) return undefined
  const read = checkItems(readSegment(words.join(','), limits), limits)
  return read.kind === 'ok' ? printOptions(read.options, limits) : undefined
}
