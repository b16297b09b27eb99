import type { OptionLimits } from '../options/options.ts'
import { printOptions } from '../options/print.ts'
import { cellsOf, comparedGrid, listFor, readList } from './reading.ts'
import { outcomeKey, type SourceImage, type State } from './state.ts'

/** A result that the page shows or will show. */
export interface NeededResult {
  readonly key: string
  readonly item: SourceImage
  readonly list: string
}

const resultOf = (item: SourceImage, list: string): NeededResult => ({ key: outcomeKey(item.id, list), item, list })

/** Returns all results that the page needs, most urgent first: on the stage, compared with it, then of the other images. */
export const neededResults = (state: State, limits: OptionLimits): readonly NeededResult[] => {
  const { options } = readList(state.list, limits)
  if (options === undefined || state.account === '') return []
  const list = printOptions(options, limits)
  const usable = state.items.filter(({ refused }) => refused === undefined)
  const onStage = usable.filter(({ id }) => id === state.selected)
  const others = usable.filter(({ id }) => id !== state.selected)
  const compared = state.compare ? cellsOf(comparedGrid(options)).map((cell) => listFor(options, cell, limits)) : []
  return [
    ...onStage.map((item) => resultOf(item, list)),
    ...onStage.flatMap((item) => compared.filter((other) => other !== list).map((other) => resultOf(item, other))),
    ...others.map((item) => resultOf(item, list)),
  ]
}
