import { type DescriptionLine, describeOptions, describeSegment, type ItemDescription } from '../options/describe.ts'
import type { OptionLimits, Options, Preset } from '../options/options.ts'
import { printOptions } from '../options/print.ts'

/** A typed option list, parsed as by the service. */
export interface ListReading {
  readonly items: readonly ItemDescription[]
  /** The list in the encoding of an address. */
  readonly sent: string
  /** The parsed options. Absent if the list is invalid. */
  readonly options?: Options
  readonly plan: readonly DescriptionLine[]
  readonly warnings: readonly string[]
  /** The error of an invalid list. */
  readonly problem?: string
}

/** Percent-encodes characters that a path segment must not contain. */
const encodeSegment = (text: string): string =>
  encodeURI(text.trim()).replaceAll(/[#?/]/g, encodeURIComponent).replaceAll('%25', '%')

/** Parses a typed option list. */
export const readList = (typed: string, limits: OptionLimits): ListReading => {
  const sent = encodeSegment(typed)
  const { items, outcome } = describeSegment(sent, limits)
  return outcome.kind === 'ok'
    ? { items, sent, options: outcome.options, plan: describeOptions(outcome.options), warnings: outcome.warnings }
    : { items, sent, plan: [], warnings: [], problem: outcome.failure.message }
}

/** The quality and the format of one compared result. */
export interface Cell {
  readonly quality: Preset
  readonly format: Options['format']
}

const COMPARED_QUALITIES = ['low', 'medium', 'high'] as const
const COMPARED_FORMATS = ['auto', 'webp', 'avif'] as const

const including = <Value>(values: readonly Value[], current: Value): readonly Value[] =>
  values.includes(current) ? values : [...values, current]

/** Columns and rows of compared results. */
export interface Grid {
  readonly qualities: readonly Preset[]
  readonly formats: readonly Options['format'][]
}

/** Returns three presets in three formats, and the current quality and format. */
export const comparedGrid = (options: Options): Grid => ({
  qualities: including<Preset>(COMPARED_QUALITIES, options.quality),
  formats: including<Options['format']>(COMPARED_FORMATS, options.format),
})

/** Returns the cells of a grid, row by row. */
export const cellsOf = ({ qualities, formats }: Grid): readonly Cell[] =>
  formats.flatMap((format) => qualities.map((quality) => ({ quality, format })))

/** Returns the option list with the quality and format of a cell. */
export const listFor = (options: Options, cell: Cell, limits: OptionLimits): string =>
  printOptions({ ...options, ...cell }, limits)

/** Whether two cells have the same quality and format. */
export const sameCell = (one: Cell, other: Cell): boolean =>
  one.quality === other.quality && one.format === other.format
