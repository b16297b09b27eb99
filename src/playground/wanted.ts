import type { OptionLimits } from '../options/options.ts'
import { printOptions } from '../options/print.ts'
import { cellsOf, comparedGrid, listFor, readList } from './reading.ts'
import { outcomeKey, type SourceImage, type State } from './state.ts'

/** One result that the page wants. */
export interface Wanted {
  readonly key: string
  readonly item: SourceImage
  readonly list: string
}

const wantedOf = (item: SourceImage, list: string): Wanted => ({ key: outcomeKey(item.id, list), item, list })

/**
 * Every result that the page wants, most urgent first: the one on the stage, the same for the other images, then the compared ones.
 */
export const wantedResults = (state: State, limits: OptionLimits): readonly Wanted[] => {
  const { options } = readList(state.list, limits)
  if (options === undefined || state.account === '') return []
  const list = printOptions(options, limits)
  const usable = state.items.filter(({ refused }) => refused === undefined)
  const onStage = usable.filter(({ id }) => id === state.selected)
  const others = usable.filter(({ id }) => id !== state.selected)
  const compared = state.compare ? cellsOf(comparedGrid(options)).map((cell) => listFor(options, cell, limits)) : []
  return [
    ...onStage.map((item) => wantedOf(item, list)),
    ...onStage.flatMap((item) => compared.filter((other) => other !== list).map((other) => wantedOf(item, other))),
    ...others.map((item) => wantedOf(item, list)),
  ]
}
