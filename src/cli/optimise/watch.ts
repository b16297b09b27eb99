import { watch } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { IDLE_MS } from '../../core/intervals.ts'
import { isFolder } from '../../support/is-folder.ts'
import { type FoundFile, findChanged, SOURCE_EXTENSION } from './find-files.ts'
import type { OptimiseFlags } from './flags.ts'
import { doFile, type FileContext } from './one-file.ts'
import type { Reporter } from './reporter.ts'

/** The folder that a run writes to. Its files are no sources. */
export const ownFolderOf = ({ target }: OptimiseFlags): string | undefined =>
  target.kind === 'out' ? target.directory : target.kind === 'in-place' ? target.backup : undefined

/** Whether a changed file of a folder is a source: an image, not hidden, and not in the run's own folder. */
const isSource = (folder: string, name: string, flags: OptimiseFlags): boolean => {
  if (!SOURCE_EXTENSION.test(name) || /(?:^|\/)\./.test(name)) return false
  const own = ownFolderOf(flags)
  return own === undefined || !resolve(folder, name).startsWith(`${resolve(own)}${sep}`)
}

const doFiles = async (files: readonly FoundFile[], context: FileContext, reporter: Reporter): Promise<void> => {
  for (const file of files)
    for (const outcome of await doFile(file, context)) if (outcome.kind !== 'known') reporter.outcome(outcome)
}

/** Delays the work on a path until the path has not changed for `IDLE_MS`: a file is written in several steps. */
const openQuietTimers = () => {
  const timers = new Map<string, ReturnType<typeof setTimeout>>()
  return (path: string, work: () => void): void => {
    const begin = (): void => {
      timers.delete(path)
      work()
    }
    clearTimeout(timers.get(path))
    timers.set(path, setTimeout(begin, IDLE_MS))
  }
}

/** Watches for changes from now on, and processes them one after the other after `first`, the run over existing files. */
export const watchFolders = async (
  context: FileContext,
  reporter: Reporter,
  first: Promise<unknown>,
): Promise<void> => {
  const { flags, signal } = context
  const whenQuiet = openQuietTimers()
  let queue: Promise<void> = first.then(() => undefined)
  const enqueue = (folder: string, path: string): void => {
    queue = queue
      .then(async () => doFiles(await findChanged(folder, path, flags.exclude), context, reporter))
      .catch(() => undefined)
  }
  for (const folder of flags.inputs) {
    if (!(await isFolder(folder))) continue
    const watcher = watch(folder, { recursive: true, signal }, (_, name) => {
      if (name === null || !isSource(folder, name, flags)) return
      const path = join(folder, name)
      whenQuiet(path, () => enqueue(folder, path))
    })
    watcher.on('error', () => undefined)
  }
}
