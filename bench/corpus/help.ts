import { existsSync } from 'node:fs'

/** Prints how a bench is called and ends the process: with 0 where that was asked for, else with 1. */
export const endWithHelp: (help: string, isAsked: boolean) => never = (help, isAsked) => {
  process.stdout.write(help)
  process.exit(isAsked ? 0 : 1)
}

/** Ends the process with 1 and the name of a path that does not exist. */
export const requirePaths = (paths: readonly string[]): void => {
  const missing = paths.find((path) => !existsSync(path))
  if (missing === undefined) return
  process.stderr.write(`${missing} does not exist\n`)
  process.exit(1)
}
