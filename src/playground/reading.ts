import { type DescriptionLine, describeOptions, describeSegment, type ItemDescription } from '../options/describe.ts'
import type { OptionLimits, Options, Preset } from '../options/options.ts'
import { printOptions } from '../options/print.ts'

/** A typed option list, read like the service reads it. */
export interface ListReading {
  readonly items: readonly ItemDescription[]
  /** The list in the encoding of an address. */
  readonly sent: string
  /** The parsed options. Absent when the list is refused. */
  readonly options?: Options
  readonly plan: readonly DescriptionLine[]
  readonly warnings: readonly string[]
  /** The reason for a refusal. */
  readonly problem?: string
}

/** Encodes characters that must not be raw in a path segment. */
const encodeSegment = (text: string): string =>
  encodeURI(text.trim()).replaceAll(/[#?/]/g, encodeURIComponent).replaceAll('%25', '%')

/** Reads a typed option list. */
export const readList = (typed: string, limits: OptionLimits): ListReading => {
  const sent = encodeSegment(typed)
  const { items, outcome } = describeSegment(sent, limits)
  return outcome.kind === 'ok'
    ? { items, sent, options: outcome.options, plan: describeOptions(outcome.options), warnings: outcome.warnings }
    : { items, sent, plan: [], warnings: [], problem: outcome.failure.message }
}

/** One compared result: a quality and a format. */
export interface Cell {
  readonly quality: Preset
  readonly format: Options['format']
}

const COMPARED_QUALITIES = ['low', 'medium', 'high'] as const
const COMPARED_FORMATS = ['auto', 'webp', 'avif'] as const

const including = <Value>(usual: readonly Value[], wanted: Value): readonly Value[] =>
  usual.includes(wanted) ? usual : [...usual, wanted]

/** Columns and rows of compared results. */
export interface Grid {
  readonly qualities: readonly Preset[]
  readonly formats: readonly Options['format'][]
}

/** Three presets in three formats, plus the current quality and format. */
export const comparedGrid = (options: Options): Grid => ({
  qualities: including<Preset>(COMPARED_QUALITIES, options.quality),
  formats: including<Options['format']>(COMPARED_FORMATS, options.format),
})

/** The cells of a grid, row by row. */
export const cellsOf = ({ qualities, formats }: Grid): readonly Cell[] =>
  formats.flatMap((format) => qualities.map((quality) => ({ quality, format })))

/** The list with another quality and format. */
export const listFor = (options: Options, cell: Cell, limits: OptionLimits): string =>
  printOptions({ ...options, ...cell }, limits)

export const sameCell = (one: Cell, other: Cell): boolean =>
  one.quality === other.quality && one.format === other.format
