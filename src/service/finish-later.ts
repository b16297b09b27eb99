import { randomUUID } from 'node:crypto'
import { copyFile, link } from 'node:fs/promises'
import { join } from 'node:path'
import { type Deadline, deadlineIn } from '../core/deadline.ts'
import { removeFile } from '../core/remove.ts'

/** Takes up a search anew, with more time, and stores what comes out; rejects when it has to make way. */
export type Finish = (source: string, deadline: Deadline) => Promise<void>

/** Results that were cut short, to be finished when nobody waits for a worker. */
export interface Finisher {
  /** Keeps the file `source` and runs `finish` on it, once for each key. Resolves when the file is safe. */
  readonly take: (key: string, source: string, finish: Finish) => Promise<void>
  /** Gives up what is under way; resolves when nothing is left of it. */
  readonly close: () => Promise<void>
}

/** Results that wait or are worked on at once; more are left as they are. */
const MOST = 16
/** Enough for what a request may take, and more. */
const LIMIT_MS = 600_000
/** Keys that are remembered not to be tried a second time. */
const MOST_REMEMBERED = 1000

/** Opens a finisher that keeps sources in `directory` while it needs them. */
export const openFinisher = (directory: string): Finisher => {
  const closing = new AbortController()
  const working = new Map<string, Promise<void>>()
  const tried = new Set<string>()

  const remember = (key: string): void => {
    tried.add(key)
    const [oldest] = tried
    if (tried.size > MOST_REMEMBERED && oldest !== undefined) tried.delete(oldest)
  }
  const work = async (key: string, path: string, finish: Finish): Promise<void> => {
    try {
      await finish(path, deadlineIn(LIMIT_MS, closing.signal))
    } catch {
      // Others needed the worker, or the service ends: whoever asks again starts it again.
      tried.delete(key)
    } finally {
      working.delete(key)
      await removeFile(path)
    }
  }
  return {
    take: async (key, source, finish) => {
      if (closing.signal.aborted || working.size >= MOST || tried.has(key)) return
      remember(key)
      const path = join(directory, `later-${randomUUID()}`)
      await link(source, path).catch(() => copyFile(source, path))
      working.set(key, work(key, path, finish))
    },
    close: async () => {
      closing.abort(new Error('the service ends'))
      await Promise.all(working.values())
    },
  }
}
