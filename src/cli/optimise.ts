import { SharpMissing } from '../engine/pool/process/assert-sharp.ts'
import { END_SIGNALS } from '../support/end-signals.ts'
import { readFlags } from './optimise/flags.ts'
import { OPTIMISE_HELP } from './optimise/help.ts'
import type { Terminal } from './optimise/reporter.ts'
import { Interrupted, runOptimise } from './optimise/run.ts'

/** Dependencies of `whittle optimise`. */
interface CommandContext {
  readonly version: string
  readonly terminal: Terminal
  /** Aborted when the reader of the output has closed it, as `head` does. */
  readonly closed: AbortSignal
}

/** The command `whittle optimise`. Resolves with the exit code. Ctrl-C stops it, and a second Ctrl-C ends it immediately. */
export const optimiseCommand = async (
  argv: readonly string[],
  { version, terminal, closed }: CommandContext,
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
  closed.addEventListener('abort', () => stopping.abort(new Interrupted('the output is closed')))
  for (const name of END_SIGNALS) process.once(name, stop)
  try {
    return await runOptimise(read.flags, { terminal, version, signal: stopping.signal })
  } catch (error) {
    if (!(error instanceof SharpMissing)) throw error
    terminal.stderr.write(`whittle: ${error.message}\n`)
    return 1
  } finally {
    for (const name of END_SIGNALS) process.removeListener(name, stop)
  }
}
