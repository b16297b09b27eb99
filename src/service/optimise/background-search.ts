import { randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Deadline, deadlineIn } from '../../core/deadline.ts'
import { Failure } from '../../core/failure.ts'
import { CHECK_MS, MAX_WORK_MS } from '../../core/intervals.ts'
import { linkOrCopy } from '../../support/link-or-copy.ts'
import { removeFile } from '../../support/remove.ts'
import { setNewest } from '../../support/set-newest.ts'

/**
 * Searches and stores the result. Resolves with whether the result is stored; otherwise the search is not repeated for two minutes.
 * Rejects if other work needs the worker.
 */
export type BackgroundSearch = (source: string, deadline: Deadline) => Promise<boolean>

/** Repeats searches that a timeout cut short, while no request waits for a worker. */
export interface BackgroundSearches {
  /** Copies the file `source` and runs `search` on the copy, once per key. Resolves when the copy exists. */
  readonly start: (key: string, source: string, search: BackgroundSearch) => Promise<void>
  /** Whether the search of a key waits or runs. */
  readonly isRunning: (key: string) => boolean
  /** Aborts all searches. Resolves when their files are removed. */
  readonly close: () => Promise<void>
}

/** Limits of the searches that wait or run. Further searches are dropped. Chosen, not measured. */
const SEARCHES = {
  /** Searches. */
  max: 256,
  /** Bytes of their sources. */
  maxSourceBytes: 1e9,
} as const
/** Keys of failed searches. Chosen, not measured. */
const FAILED = {
  /** Keys. */
  max: 1000,
  /** ms before a search is tried again. The cause, such as an outage of the store, may be over by then. */
  ms: 120_000,
} as const

/** Opens background searches. `directory` holds copies of their sources. */
export const openBackgroundSearches = (directory: string): BackgroundSearches => {
  const closing = new AbortController()
  const running = new Map<string, Promise<void>>()
  /** Time of the last start by key, ms. */
  const startedAt = new Map<string, number>()
  let held = 0

  const wasStarted = (key: string): boolean =>
    running.has(key) || performance.now() - (startedAt.get(key) ?? Number.NEGATIVE_INFINITY) < FAILED.ms
  /** Repeats a search until it ends, since other work may interrupt it. */
  const searchToEnd = async (path: string, search: BackgroundSearch): Promise<boolean> => {
    const deadline = deadlineIn(MAX_WORK_MS, closing.signal)
    for (;;) {
      try {
        return await search(path, deadline)
      } catch (error) {
        const isInterrupted = !(error instanceof Failure) || error.status === 503
        if (!isInterrupted || deadline.signal.aborted) throw error
        await sleep(CHECK_MS, undefined, { signal: deadline.signal })
      }
    }
  }
  const run = async (
    key: string,
    file: { readonly path: string; readonly bytes: number },
    search: BackgroundSearch,
  ) => {
    held += file.bytes
    try {
      // A stored result is searched again only after it was evicted or purged.
      if (await searchToEnd(file.path, search)) startedAt.delete(key)
    } catch {
      // The time has ended, or the service closes. The next request may start the search again.
      startedAt.delete(key)
    } finally {
      running.delete(key)
      held -= file.bytes
      await removeFile(file.path)
    }
  }
  return {
    start: async (key, source, search) => {
      if (closing.signal.aborted || running.size >= SEARCHES.max || held >= SEARCHES.maxSourceBytes || wasStarted(key))
        return
      setNewest(startedAt, key, performance.now(), FAILED.max)
      const path = join(directory, `later-${randomUUID()}`)
      await linkOrCopy(source, path)
      const { size: bytes } = await stat(path)
      running.set(key, run(key, { path, bytes }, search))
    },
    isRunning: (key) => running.has(key),
    close: async () => {
      closing.abort(new Error('the service ends'))
      await Promise.all(running.values())
    },
  }
}
