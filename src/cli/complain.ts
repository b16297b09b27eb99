import { readSettings } from '../settings/read.ts'
import type { Settings } from '../settings/settings.ts'

/** Writes one line to standard error. */
export const complain = (line: string): void => void process.stderr.write(`whittle: ${line}\n`)

/** Reads the settings from the environment. Writes every problem to standard error and returns undefined when there is one. */
export const settingsOrComplain = (): Settings | undefined => {
  const read = readSettings(process.env)
  if (read.kind === 'ok') {
    for (const warning of read.warnings) complain(warning)
    return read.settings
  }
  for (const problem of read.problems) complain(problem)
  return undefined
}
