import { correctSegment } from '../options/correct.ts'
import { describeOptions, describeSegment } from '../options/describe.ts'
import type { Terminal } from './optimise/run.ts'

const LIMITS = { maxTimeout: 30 }

const USAGE = `Usage: whittle explain <options>

Says how an option list is read, as in: whittle explain 800x600,crop=auto,2x
`

const aligned = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(0, ...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}\n`).join('')
}

/** The command `whittle explain`: how each option is read, what will be done, what is wrong. Exit code 1 for a list that is refused. */
export const explainCommand = (argv: readonly string[], { stdout, stderr }: Terminal): number => {
  const [list] = argv
  if (list === undefined || argv.length > 1 || list === '--help') {
    ;(list === '--help' ? stdout : stderr).write(USAGE)
    return list === '--help' ? 0 : 2
  }
  const segment = list.replaceAll('#', '%23')
  const { items, outcome } = describeSegment(segment, LIMITS)
  stdout.write('How the options are read:\n')
  stdout.write(aligned(items.map(({ item, meaning }) => [item === '' ? '(nothing)' : item, meaning])))
  if (outcome.kind === 'wrong') {
    stderr.write(`whittle: ${outcome.failure.message}\n`)
    const corrected = correctSegment(segment, LIMITS)
    if (corrected !== undefined) stderr.write(`Probably meant: ${corrected}\n`)
    return 1
  }
  stdout.write('What will be done:\n')
  stdout.write(aligned(describeOptions(outcome.options).map(({ name, value }) => [name, value])))
  for (const warning of outcome.warnings) stdout.write(`Warning: ${warning}\n`)
  return 0
}
