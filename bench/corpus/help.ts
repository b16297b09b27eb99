import { existsSync } from 'node:fs'
import { type ParseArgsConfig, parseArgs } from 'node:util'

/** Exit status after a wrong command line, as of `whittle`. */
const WRONG_USAGE = 2

/** Prints how a program is called and ends the process: with 0 after `--help`, else with 2. */
export const endWithHelp: (help: string, isAsked: boolean) => never = (help, isAsked) => {
  process.stdout.write(help)
  process.exit(isAsked ? 0 : WRONG_USAGE)
}

/** Prints `text` on standard error and ends the process with 2. */
export const endWithError: (text: string) => never = (text) => {
  process.stderr.write(`${text}\n`)
  process.exit(WRONG_USAGE)
}

const isPositive = (text: string): boolean => text.trim() !== '' && Number(text) > 0 && Number.isFinite(Number(text))

/** The number above 0 that an option has. Ends the process with 2 and the help for another text. */
export const readNumber = (help: string, option: string, text: string): number =>
  isPositive(text) ? Number(text) : endWithError(`${option} takes a number above 0, not "${text}"\n\n${help}`)

/** The numbers above 0 of a list that commas separate. Ends the process as {@link readNumber} does. */
export const readNumbers = (help: string, option: string, text: string): number[] =>
  text.split(',').map((part) => readNumber(help, option, part))

/** Options and positionals of a program. Ends the process after `--help`, and with 2 and one line for unknown arguments. */
export const readCommand = <Config extends ParseArgsConfig>(
  help: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> => {
  try {
    const parsed = parseArgs<ParseArgsConfig>({ ...config, options: { ...config.options, help: { type: 'boolean' } } })
    if (parsed.values.help === true) endWithHelp(help, true)
    return parsed as ReturnType<typeof parseArgs<Config>>
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (!code?.startsWith('ERR_PARSE_ARGS_')) throw error
    // Node's further sentences are about arguments that begin with a dash.
    return endWithError(`${message.split(/\.\s/)[0]}; --help lists what there is`)
  }
}

/** The paths, at least one. Ends the process with 2: without a path after the help, for a path that does not exist after its name. */
export const requirePaths = (help: string, paths: readonly string[]): readonly [string, ...string[]] => {
  const [first, ...others] = paths
  if (first === undefined) return endWithHelp(help, false)
  const missing = paths.find((path) => !existsSync(path))
  return missing === undefined ? [first, ...others] : endWithError(`${missing} does not exist`)
}
