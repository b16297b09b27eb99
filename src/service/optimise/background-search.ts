import { randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Deadline, deadlineIn } from '../../core/deadline.ts'
import { Failure } from '../../core/failure.ts'
import { linkOrCopy } from '../../support/link-or-copy.ts'
import { removeFile } from '../../support/remove.ts'

/**
 * Repeats a search with more time and stores the result; rejects when other work needs the worker. Resolves with whether the
 * result is stored. Without a result the search is not repeated for a while.
 */
export type Finish = (source: string, deadline: Deadline) => Promise<boolean>

/** Results that were cut short, to be finished when no request waits for a worker. */
export interface BackgroundSearches {
  /** Keeps the file `source` and runs `finish` on it, once for each key. Resolves when the file is safe. */
  readonly take: (key: string, source: string, finish: Finish) => Promise<void>
  /** Whether it has a key to finish still. */
  readonly isAt: (key: string) => boolean
  /** Gives up what is under way; resolves when nothing is left of it. */
  readonly close: () => Promise<void>
}

/** Limits of the results that wait or are in work. Further results stay as they are. Chosen, not measured. */
const WAITING = {
  /** Results. */
  max: 256,
  /** Bytes of their sources. */
  maxSourceBytes: 1e9,
} as const
/** ms until an interrupted search continues. */
const AGAIN_MS = 250
/** Longer than any request may take. */
const LIMIT_MS = 600_000
/** Keys that are not tried again. Chosen, not measured. */
const REMEMBERED = {
  /** Keys. */
  max: 1000,
  /** The cause of a failure, such as an outage of the store, may be over after this time. */
  ms: 120_000,
} as const

/** Opens a finisher that keeps sources in `directory` while it needs them. */
export const openBackgroundSearches = (directory: string): BackgroundSearches => {
  const closing = new AbortController()
  const working = new Map<string, Promise<void>>()
  /** By key: when it was tried, ms. */
  const tried = new Map<string, number>()
  let held = 0

  const remember = (key: string): void => {
    tried.delete(key)
    tried.set(key, performance.now())
    const [oldest] = tried.keys()
    if (tried.size > REMEMBERED.max && oldest !== undefined) tried.delete(oldest)
  }
  const wasTried = (key: string): boolean =>
    working.has(key) || performance.now() - (tried.get(key) ?? Number.NEGATIVE_INFINITY) < REMEMBERED.ms
  /** Again for as long as others need the worker. */
  const finishIt = async (path: string, finish: Finish): Promise<boolean> => {
    const deadline = deadlineIn(LIMIT_MS, closing.signal)
    for (;;) {
      try {
        return await finish(path, deadline)
      } catch (error) {
        const makesWay = !(error instanceof Failure) || error.status === 503
        if (!makesWay || deadline.signal.aborted) throw error
        await sleep(AGAIN_MS, undefined, { signal: deadline.signal })
      }
    }
  }
  const work = async (key: string, file: { readonly path: string; readonly bytes: number }, finish: Finish) => {
    held += file.bytes
    try {
      // A stored result is not finished again, unless it was evicted or purged.
      if (await finishIt(file.path, finish)) tried.delete(key)
    } catch {
      // It has no more time, or the service ends: the next request starts it again.
      tried.delete(key)
    } finally {
      working.delete(key)
      held -= file.bytes
      await removeFile(file.path)
    }
  }
  return {
    take: async (key, source, finish) => {
      if (closing.signal.aborted || working.size >= WAITING.max || held >= WAITING.maxSourceBytes || wasTried(key))
        return
      remember(key)
      const path = join(directory, `later-${randomUUID()}`)
      await linkOrCopy(source, path)
      const { size: bytes } = await stat(path)
      working.set(key, work(key, { path, bytes }, finish))
    },
    isAt: (key) => working.has(key),
    close: async () => {
      closing.abort(new Error('the service ends'))
      await Promise.all(working.values())
    },
  }
}
