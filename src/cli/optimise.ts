import { readFlags } from './optimise/flags.ts'
import { OPTIMISE_HELP } from './optimise/help.ts'
import { Interrupted, runOptimise, type Terminal } from './optimise/run.ts'

/** The command `whittle optimise`; resolves with the exit code. Ctrl-C stops it, a second one at once. */
export const optimiseCommand = async (
  argv: readonly string[],
  { version, terminal }: { readonly version: string; readonly terminal: Terminal },
): Promise<number> => {
  const read = readFlags(argv, process.env)
  if (read.kind === 'help') {
    terminal.stdout.write(OPTIMISE_HELP)
    return 0
  }
  if (read.kind === 'wrong') {
    for (const problem of read.problems) terminal.stderr.write(`whittle: ${problem}\n`)
    terminal.stderr.write('See: whittle optimise --help\n')
    return 2
  }
  const stopping = new AbortController()
  const stop = (): void => {
    process.once('SIGINT', () => process.exit(130))
    stopping.abort(new Interrupted('stopped'))
  }
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, stop)
  try {
    return await runOptimise(read.flags, { terminal, version, signal: stopping.signal })
  } finally {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.removeListener(name, stop)
  }
}
