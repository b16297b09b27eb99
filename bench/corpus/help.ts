import { existsSync } from 'node:fs'
import { type ParseArgsConfig, parseArgs } from 'node:util'

/** Prints how a bench is called and ends the process: with 0 where that was asked for, else with 1. */
export const endWithHelp: (help: string, isAsked: boolean) => never = (help, isAsked) => {
  process.stdout.write(help)
  process.exit(isAsked ? 0 : 1)
}

const endWithError: (line: string) => never = (line) => {
  process.stderr.write(`${line}\n`)
  process.exit(1)
}

const isPositive = (text: string): boolean => text.trim() !== '' && Number(text) > 0 && Number.isFinite(Number(text))

/** The number above 0 that an option has. For another text, prints the help and ends the process with 2. */
export const readNumber = (help: string, option: string, text: string): number => {
  if (isPositive(text)) return Number(text)
  process.stderr.write(`${option} takes a number above 0, not "${text}"\n\n${help}`)
  return process.exit(2)
}

/** The same for numbers that commas separate. */
export const readNumbers = (help: string, option: string, text: string): number[] =>
  text.split(',').map((part) => readNumber(help, option, part))

/** Options and positionals of a bench. Ends the process after `--help`, and with 1 and one line for arguments that it does not take. */
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

/** The paths, at least one. Without a path, prints the help and ends the process with 1. With a path that does not exist, ends with 1 and its name. */
export const requirePaths = (help: string, paths: readonly string[]): readonly [string, ...string[]] => {
  const [first, ...others] = paths
  if (first === undefined) return endWithHelp(help, false)
  const missing = paths.find((path) => !existsSync(path))
  return missing === undefined ? [first, ...others] : endWithError(`${missing} does not exist`)
}
