import { unlinkSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Optimiser, openOptimiser } from '../../library/optimiser.ts'
import { mapAtOnce } from '../../support/at-once.ts'
import { removeDirectory } from '../../support/remove.ts'
import { NO_CACHE, openOutcomeCache } from './cache.ts'
import { assertApart, Collision } from './collisions.ts'
import { type FoundFiles, findFiles } from './find-files.ts'
import type { OptimiseFlags } from './flags.ts'
import { doFile, type FileContext, type FileOutcome } from './one-file.ts'
import { addOutcome, NO_TOTALS, type Totals } from './report-lines.ts'
import { couldBeSmaller, jsonReporter, lossNotice, type Reporter, type Terminal, textReporter } from './reporter.ts'
import { ownFolderOf, watchFolders } from './watch.ts'
import { UNFINISHED } from './write-result.ts'

/** The run was stopped by a signal or a closed output. */
export class Interrupted extends Error {}

interface RunContext {
  readonly terminal: Terminal
  readonly version: string
  readonly signal: AbortSignal
}

interface Ran {
  readonly totals: Totals
  readonly complaints: number
}

const runOnce = async (found: FoundFiles, context: FileContext, reporter: Reporter): Promise<Ran> => {
  let totals = NO_TOTALS
  let complaints = 0
  let done = 0
  const since = performance.now()
  const of = found.files.length
  const advance = (current?: string): void =>
    reporter.progress({
      done,
      of,
      savedBytes: totals.sourceBytes - totals.bytes,
      elapsedMs: performance.now() - since,
      current,
    })
  const record = (outcome: FileOutcome): void => {
    totals = addOutcome(totals, outcome)
    if (couldBeSmaller(outcome, context.flags)) complaints += 1
    reporter.outcome(outcome)
  }
  for (const { path, text } of found.problems)
    record({ kind: 'failed', path, text: `${text[0]!.toUpperCase()}${text.slice(1)}.` })
  advance()
  // One more than there are cores, so that the next file is read and hashed meanwhile.
  await mapAtOnce(found.files, context.flags.workers + 1, async (file) => {
    advance(file.path)
    for (const outcome of await doFile(file, context)) record(outcome)
    done += 1
    advance(file.path)
  })
  reporter.end(totals, complaints)
  return { totals, complaints }
}

const outOf = ({ target }: OptimiseFlags): string | undefined => (target.kind === 'out' ? target.directory : undefined)

/** Finds the files of a run. Fails with a Collision before anything is written. */
const findOrRefuse = async (flags: OptimiseFlags): Promise<FoundFiles> => {
  const out = outOf(flags)
  const found = await findFiles(flags.inputs, { except: ownFolderOf(flags), exclude: flags.exclude })
  if (out !== undefined) await assertApart(found.files, out)
  return found
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })

const removeUnfinished = (): void => {
  for (const path of UNFINISHED)
    try {
      unlinkSync(path)
    } catch {
      // It was renamed or never created.
    }
}

/** The exit code for an error that ends a run, which is reported. Throws errors that are faults of ours. */
const reportEnd = (error: unknown, { terminal, signal }: RunContext): number => {
  if (error instanceof Collision) {
    for (const line of error.message.split('\n')) terminal.stderr.write(`whittle: ${line}\n`)
    return 2
  }
  if (!signal.aborted) throw error
  terminal.stderr.write('\nwhittle: stopped; every file is whole, old or new.\n')
  return 130
}

/** Runs `whittle optimise` and resolves with the exit code. An interrupted run leaves every file complete: old or new. */
export const runOptimise = async (flags: OptimiseFlags, run: RunContext): Promise<number> => {
  const { terminal, version, signal } = run
  const reporter = flags.report === 'json' ? jsonReporter(terminal, flags) : textReporter(terminal, flags)
  const scratch = await mkdtemp(join(tmpdir(), 'whittle-'))
  let optimiser: Optimiser | undefined
  try {
    optimiser = openOptimiser({ workers: flags.workers })
    const cache = flags.cache === undefined ? NO_CACHE : openOutcomeCache(flags.cache, version)
    const context: FileContext = { flags, optimiser, cache, scratch, signal, written: new Map() }
    const over = Promise.withResolvers<void>()
    // Watching starts before the search, so that no change is missed.
    if (flags.watch) await watchFolders(context, reporter, over.promise)
    const found = await findOrRefuse(flags)
    if (found.files.length > 0) terminal.stderr.write(lossNotice(flags))
    const { totals, complaints } = await runOnce(found, context, reporter)
    over.resolve()
    if (flags.watch) await untilAborted(signal)
    return totals.failed > 0 || complaints > 0 ? 1 : 0
  } catch (error) {
    return reportEnd(error, run)
  } finally {
    await optimiser?.close()
    removeUnfinished()
    await removeDirectory(scratch)
  }
}
