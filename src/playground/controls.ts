import type { OptionRow } from '../options/row.ts'
import { OPTIONS_TABLE } from '../options/table.ts'

/** One group of switches and the rows of the options table that it stands for. A test holds that no row is left out. */
export interface ControlGroup {
  readonly title: string
  readonly rows: readonly string[]
}

/** The switches of the page, in their order. */
export const CONTROL_GROUPS = {
  size: { title: 'Size', rows: ['full', 'size', 'width only'] },
  density: { title: 'Screen density', rows: ['density'] },
  method: {
    title: 'Into that size',
    rows: ['scale-down', 'fit', 'crop', 'crop=auto', 'crop=<edge>', 'crop=<x>x<y>', 'pad'],
  },
  quality: { title: 'Quality', rows: ['quality=<preset>'] },
  format: { title: 'Format', rows: ['format=<name>'] },
  gamut: { title: 'Colours', rows: ['gamut=p3'] },
  trim: { title: 'Trim', rows: ['trim=border'] },
  background: { title: 'Background', rows: ['bgcolor=<RGB>'] },
  timeout: { title: 'Timeout', rows: ['timeout=<seconds>'] },
} as const satisfies Record<string, ControlGroup>

/** A row of the options table by its name; throws when there is none. */
export const optionRow = (name: string): OptionRow => {
  const row = OPTIONS_TABLE.find((candidate) => candidate.name === name)
  if (row === undefined) throw new Error(`There is no option ${name}.`)
  return row
}

/** What the table says of all rows of a group. */
export const helpOf = ({ rows }: ControlGroup): string =>
  rows.map((name) => optionRow(name).help.replaceAll('`', '')).join(' ')
