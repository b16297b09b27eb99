import { unlinkSync, watch } from 'node:fs'
import { mkdtemp, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve, sep } from 'node:path'
import { removeDirectory } from '../../core/remove.ts'
import { type Optimiser, openOptimiser } from '../../library/optimiser.ts'
import { NO_CACHE, openDoneCache } from './cache.ts'
import { type FoundFile, type FoundFiles, findFiles, SOURCE_EXTENSION } from './find-files.ts'
import type { OptimiseFlags } from './flags.ts'
import { doFile, type FileContext, type FileOutcome } from './one-file.ts'
import { addOutcome, NO_TOTALS, sayOutcome, sayProgress, sayTotals, type Totals } from './tell.ts'
import { UNFINISHED } from './write-result.ts'

/** Where a run tells of itself. */
export interface Terminal {
  readonly stdout: { readonly write: (text: string) => unknown }
  readonly stderr: { readonly write: (text: string) => unknown; readonly isTTY?: boolean | undefined }
}

/** The one who runs the command has had enough. */
export class Interrupted extends Error {}

interface Telling {
  readonly outcome: (outcome: FileOutcome) => void
  readonly progress: (done: number, of: number) => void
  readonly end: (totals: Totals) => void
}

/** Clears the line that a bar stands in. */
const CLEAR = '\r\u001b[2K'

const textTelling = ({ stdout, stderr }: Terminal): Telling => {
  const clear = (): unknown => stderr.isTTY === true && stderr.write(CLEAR)
  return {
    outcome: (outcome) => {
      clear()
      ;(outcome.kind === 'failed' ? stderr : stdout).write(`${sayOutcome(outcome)}\n`)
    },
    progress: (done, of) => void (stderr.isTTY === true && stderr.write(`${CLEAR}${sayProgress(done, of)}`)),
    end: (totals) => {
      clear()
      stdout.write(`${sayTotals(totals)}\n`)
    },
  }
}

const jsonTelling = ({ stdout, stderr }: Terminal): Telling => {
  const outcomes: FileOutcome[] = []
  return {
    outcome: (outcome) => void outcomes.push(outcome),
    progress: (done, of) => void (stderr.isTTY === true && stderr.write(`${CLEAR}${sayProgress(done, of)}`)),
    end: (totals) => stdout.write(`${JSON.stringify({ results: outcomes, totals }, undefined, 2)}\n`),
  }
}

/** Works through a list, so many at a time. */
const each = async <Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> => {
  const left = items.values()
  const one = async (): Promise<void> => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, one))
}

/** Whether a check finds something to complain about. */
const couldBeSmaller = (outcome: FileOutcome, { target }: OptimiseFlags): boolean =>
  target.kind === 'check' &&
  outcome.kind !== 'failed' &&
  (1 - outcome.bytes / outcome.sourceBytes) * 100 >= target.percent

interface Ran {
  readonly totals: Totals
  readonly complaints: number
}

const runOnce = async (found: FoundFiles, context: FileContext, telling: Telling): Promise<Ran> => {
  let totals = NO_TOTALS
  let complaints = 0
  let done = 0
  const tell = (outcome: FileOutcome): void => {
    totals = addOutcome(totals, outcome)
    if (couldBeSmaller(outcome, context.flags)) complaints += 1
    telling.outcome(outcome)
  }
  for (const { path, text } of found.problems)
    tell({ kind: 'failed', path, text: `${text[0]!.toUpperCase()}${text.slice(1)}.` })
  telling.progress(0, found.files.length)
  // One more than there are cores: the next file is read and hashed while they work.
  await each(found.files, context.flags.workers + 1, async (file) => {
    for (const outcome of await doFile(file, context)) tell(outcome)
    done += 1
    telling.progress(done, found.files.length)
  })
  telling.end(totals)
  return { totals, complaints }
}

/** ms that a file must have been left alone before it is looked at. */
const SETTLE_MS = 300

const outOf = ({ target }: OptimiseFlags): string | undefined => (target.kind === 'out' ? target.directory : undefined)

/** Listens for changes from now on, and looks at what changed once `first`, the run over what is there, is over. */
const watchFolders = async (context: FileContext, telling: Telling, first: Promise<unknown>): Promise<void> => {
  const { flags, signal } = context
  const changed = new Map<string, ReturnType<typeof setTimeout>>()
  let queue: Promise<void> = first.then(() => undefined)
  const look = async (folder: string, path: string): Promise<void> => {
    const { files } = await findFiles([path])
    const own: FoundFile[] = files.map((file) => ({ ...file, relative: path.slice(folder.length + 1) }))
    for (const file of own)
      for (const outcome of await doFile(file, context)) if (outcome.kind !== 'known') telling.outcome(outcome)
  }
  for (const folder of flags.inputs) {
    if (
      !(await stat(folder).then(
        (stats) => stats.isDirectory(),
        () => false,
      ))
    )
      continue
    const watcher = watch(folder, { recursive: true, signal }, (_, name) => {
      if (name === null || !SOURCE_EXTENSION.test(name) || /(?:^|\/)\./.test(name)) return
      const path = join(folder, name)
      const out = outOf(flags)
      if (out !== undefined && resolve(path).startsWith(`${resolve(out)}${sep}`)) return
      clearTimeout(changed.get(path))
      changed.set(
        path,
        setTimeout(() => {
          changed.delete(path)
          queue = queue.then(() => look(folder, path)).catch(() => undefined)
        }, SETTLE_MS),
      )
    })
    watcher.on('error', () => undefined)
  }
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Runs `whittle optimise`; resolves with the exit code. An interrupted run leaves every file whole: old or new. */
export const runOptimise = async (
  flags: OptimiseFlags,
  {
    terminal,
    version,
    signal,
  }: { readonly terminal: Terminal; readonly version: string; readonly signal: AbortSignal },
): Promise<number> => {
  const telling = flags.report === 'json' ? jsonTelling(terminal) : textTelling(terminal)
  const scratch = await mkdtemp(join(tmpdir(), 'whittle-'))
  let optimiser: Optimiser | undefined
  try {
    optimiser = openOptimiser({ workers: flags.workers })
    const cache = flags.cache === undefined ? NO_CACHE : openDoneCache(flags.cache, version)
    const context: FileContext = { flags, optimiser, cache, scratch, signal }
    const over = Promise.withResolvers<void>()
    // Before anything is found, so that nothing falls between the first run and the watching.
    if (flags.watch) await watchFolders(context, telling, over.promise)
    const { totals, complaints } = await runOnce(await findFiles(flags.inputs, outOf(flags)), context, telling)
    over.resolve()
    if (flags.watch) await untilAborted(signal)
    return totals.failed > 0 || complaints > 0 ? 1 : 0
  } catch (error) {
    if (!signal.aborted) throw error
    terminal.stderr.write('\nwhittle: stopped; every file is whole, old or new.\n')
    return 130
  } finally {
    await optimiser?.close()
    for (const path of UNFINISHED)
      try {
        unlinkSync(path)
      } catch {
        // It was renamed, or never made.
      }
    await removeDirectory(scratch)
  }
}
