import type { Reply } from './ask.ts'
import type { CorpusFile } from './files.ts'
import type { Fault, Verdict } from './verdict.ts'

/** One request and how it was judged. */
export interface Outcome {
  readonly file: CorpusFile
  readonly options: string
  readonly reply: Reply
  readonly verdict: Verdict
}

/** Columns that must be 0 throughout. */
const FAULTS: readonly Fault[] = ['larger', 'status', 'header', 'fault', 'hang', 'size', 'pixels']
const TITLES: Readonly<Record<Fault, string>> = {
  larger: 'larger',
  status: 'other status',
  header: 'header',
  fault: '5xx',
  hang: 'hang',
  size: 'size',
  pixels: 'pixels',
}

type Row = readonly (string | number)[]

const grid = (rows: readonly Row[]): string => {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)))
  const cell = (value: string | number, column: number): string =>
    column === 0 ? String(value).padEnd(widths[0]!) : String(value).padStart(widths[column]!)
  return rows.map((row) => row.map(cell).join('  ').trimEnd()).join('\n')
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
const kilobytes = (bytes: number): string => `${Math.round(bytes / 1000)} kB`
const percent = (part: number): string => `${(100 * part).toFixed(1)} %`

const rowOf = (name: string, outcomes: readonly Outcome[]): Row => {
  const good = outcomes.filter(({ reply }) => reply.status === 200)
  const bytesIn = sum(good.map(({ file }) => file.bytes))
  const bytesOut = sum(good.map(({ reply }) => reply.body.length))
  const times = outcomes.map(({ reply }) => reply.ms).sort((a, b) => a - b)
  return [
    name,
    outcomes.length,
    good.length,
    outcomes.filter(({ reply }) => reply.status >= 400 && reply.status < 500).length,
    kilobytes(bytesIn),
    kilobytes(bytesOut),
    bytesIn === 0 ? '-' : percent(1 - bytesOut / bytesIn),
    `${Math.round(times[times.length >> 1] ?? 0)} ms`,
    `${Math.round(times.at(-1) ?? 0)} ms`,
    ...FAULTS.map((fault) => outcomes.filter(({ verdict }) => verdict.faults.includes(fault)).length),
  ]
}

const TITLE_ROW: Row = [
  'requests',
  '200',
  '4xx',
  'in',
  'out',
  'saved',
  'median',
  'longest',
  ...FAULTS.map((f) => TITLES[f]),
]

const table = (title: string, outcomes: readonly Outcome[], groupOf: (outcome: Outcome) => string): string => {
  const groups = Object.entries(Object.groupBy(outcomes, groupOf))
  const rows = groups.map(([name, group]) => rowOf(name, group ?? []))
  return grid([[title, ...TITLE_ROW], ...rows, rowOf('all', outcomes)])
}

/** One line for each outcome that is not as it must be. */
export const faultLines = (outcomes: readonly Outcome[]): readonly string[] =>
  outcomes
    .filter(({ verdict }) => verdict.faults.length > 0)
    .map(
      ({ file, options, verdict }) =>
        `${verdict.faults.join('+')}  ${file.name}  ${options}  ${verdict.remarks.join('; ')}`,
    )

/** The report: by category, by option list, and every fault. */
export const report = (outcomes: readonly Outcome[]): string => {
  const faults = faultLines(outcomes)
  const scores = outcomes.flatMap(({ verdict }) => verdict.score ?? []).sort((a, b) => a - b)
  return [
    table('category', outcomes, ({ file }) => file.category),
    '',
    table('options', outcomes, ({ options }) => options),
    '',
    `${scores.length} results compared with a reference made apart from the service: lowest ${scores[0]?.toFixed(1) ?? '-'} points`,
    ...faults,
    faults.length === 0 ? 'All is as it must be.' : `${faults.length} faults.`,
  ].join('\n')
}

/** An outcome in a JSON file. */
export const toJson = ({ file, options, reply, verdict }: Outcome): object => ({
  file: file.name,
  bytesIn: file.bytes,
  options,
  status: reply.status,
  bytesOut: reply.body.length,
  ms: Math.round(reply.ms),
  ...(reply.redirect === undefined ? {} : { redirect: reply.redirect }),
  type: reply.headers.get('content-type'),
  score: reply.headers.get('x-score'),
  encodes: reply.headers.get('x-encodes'),
  warning: reply.headers.get('warning'),
  timing: reply.headers.get('server-timing'),
  ...verdict,
})
