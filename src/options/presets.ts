import type { OptionLimits } from './options.ts'
import type { ItemRead } from './read-item.ts'
import type { Claim } from './row.ts'
import { type Item, splitSegment } from './segment.ts'

/** The given items, and the items of the presets among them. A preset inside a preset is ignored. */
export interface SplitPresets {
  readonly given: readonly Item[]
  readonly ofPreset: readonly Item[]
}

const presetOf = ({ text }: Item, { presets }: OptionLimits): string | undefined => {
  const [, name] = /^preset=(.*)$/i.exec(text) ?? []
  return name === undefined ? undefined : presets?.get(name.toLowerCase())
}

/** Separates an account's presets from the other items. Unknown presets stay, and are refused when they are read. */
export const splitPresets = (items: readonly Item[], limits: OptionLimits): SplitPresets => {
  const lists = items.map((item) => ({ item, list: presetOf(item, limits) }))
  return {
    given: lists.flatMap(({ item, list }) => (list === undefined ? [item] : [])),
    ofPreset: lists.flatMap(({ list }) => (list === undefined ? [] : splitSegment(list))),
  }
}

/** The decision that a claim belongs to: a size conflicts with `full`. */
const subjectOf = ({ kind }: Claim): string => {
  if (kind === 'full') return 'size'
  return kind === 'coordinate' ? 'method' : kind
}

/** Whether an item of a preset decides something that a given item decides too. */
export const isOverridden = (ofPreset: ItemRead, given: readonly ItemRead[]): boolean => {
  if (ofPreset.kind !== 'read') return false
  const subject = subjectOf(ofPreset.claim)
  return given.some((read) => read.kind === 'read' && subjectOf(read.claim) === subject)
}
