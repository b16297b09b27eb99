import { explainList } from '../options/explain-list.ts'
import type { Terminal } from './optimise/reporter.ts'

const USAGE = `Usage: whittle explain <options>

Says how an option list is read, as in: whittle explain 800x600,crop=auto,2x
`

/** The command `whittle explain`: the reading of each option, its effect, and its errors. Exit code 1 for a refused list. */
export const explainCommand = (argv: readonly string[], { stdout, stderr }: Terminal): number => {
  const [list] = argv
  if (list === undefined || argv.length > 1 || list === '--help' || list === '-h') {
    const isAsked = list === '--help' || list === '-h'
    ;(isAsked ? stdout : stderr).write(USAGE)
    return isAsked ? 0 : 2
  }
  const { text, problem } = explainList(list)
  stdout.write(text)
  if (problem === undefined) return 0
  stderr.write(`whittle: ${problem}\n`)
  return 1
}
