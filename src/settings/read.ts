import type { SettingRow } from './rows/row.ts'
import { SETTINGS, type SettingKey, type Settings } from './settings.ts'

/** Environment variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

export type SettingsRead =
  /** `warnings`: sentences about valid but unwise values, for the log. */
  | { readonly kind: 'ok'; readonly settings: Settings; readonly warnings: readonly string[] }
  /** One sentence for each invalid setting. */
  | { readonly kind: 'wrong'; readonly problems: readonly string[] }

type One = { readonly value: unknown; readonly warning?: string | undefined } | { readonly problem: string }

/** A value for a message, printable and short: it may be a pasted certificate. */
const quote = (text: string): string => {
  const shown = JSON.stringify(text.toWellFormed())
  return shown.length > 80 ? `${shown.slice(0, 76)}..."` : shown
}

const remedy = (row: SettingRow<unknown>): string =>
  row.shown === '' ? 'Correct it, or unset it.' : `Correct it, or unset it for the default (${row.shown}).`

const readOne = (row: SettingRow<unknown>, found: string | undefined): One => {
  const text = found?.trim() ?? ''
  if (text === '') return { value: row.default }
  const read = row.read(text)
  return 'expected' in read
    ? { problem: `${row.env} is ${row.secret ? 'not usable' : quote(text)}: expected ${read.expected}. ${remedy(row)}` }
    : { value: read.value, warning: row.warning?.(read.value) }
}

/** Warnings about combinations of settings that are valid alone. */
const togetherWarnings = ({ databaseUrl, redisUrl, resultsUrl, secret }: Settings): string[] => [
  ...(redisUrl !== undefined && resultsUrl === undefined
    ? [
        'REDIS_URL is set without RESULTS_URL: nodes share rates and jobs, but results lie on the disk of the node that made them.',
      ]
    : []),
  ...(resultsUrl !== undefined && databaseUrl === undefined && secret === undefined
    ? [
        'RESULTS_URL is set without DATABASE_URL or SECRET: only nodes with the same SECRET find the results of one another.',
      ]
    : []),
]

/** Reads all settings and reports every problem. Ignores unknown variables. An empty variable counts as unset. */
export const readSettings = (env: Environment): SettingsRead => {
  const rows = Object.entries(SETTINGS) as [SettingKey, SettingRow<unknown>][]
  const read = rows.map(([key, row]) => [key, readOne(row, env[row.env])] as const)
  const problems = read.flatMap(([, one]) => ('problem' in one ? [one.problem] : []))
  if (problems.length > 0) return { kind: 'wrong', problems }
  const values = read.map(([key, one]) => [key, 'value' in one ? one.value : undefined])
  const settings = Object.freeze(Object.fromEntries(values)) as Settings
  const warnings = [
    ...togetherWarnings(settings),
    ...read.flatMap(([, one]) => ('warning' in one && one.warning !== undefined ? [one.warning] : [])),
  ]
  return { kind: 'ok', settings, warnings }
}
