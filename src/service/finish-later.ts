import { randomUUID } from 'node:crypto'
import { copyFile, link } from 'node:fs/promises'
import { join } from 'node:path'
import { deadlineIn } from '../core/deadline.ts'
import { removeFile } from '../core/remove.ts'
import { answerFor } from './respond.ts'
import type { Service } from './service.ts'
import type { Task } from './task.ts'

/** Results that were cut short, to be finished when nobody waits for a worker. */
export interface Finisher {
  /** Takes up the search for a result anew, with more time, to be stored under `key`. Resolves when the source is safe. */
  readonly take: (service: Service, task: Task, key: string) => Promise<void>
  /** Gives up what is under way; resolves when nothing is left of it. */
  readonly close: () => Promise<void>
}

/** Results that wait or are worked on at once; more are left as they are. */
const MOST = 16
/** Enough for what a request may take, and more. */
const LIMIT_MS = 600_000
/** Keys that are remembered not to be tried a second time. */
const MOST_REMEMBERED = 1000

/** Searches on, in the background of everything else, and keeps what comes out. */
const finish = async (service: Service, task: Task, { key, path, signal }: Kept): Promise<void> => {
  const { facts, plan, account } = task
  const { ffmpegPath } = service.settings
  const ffmpeg = ffmpegPath === undefined ? {} : { ffmpegPath }
  const result = await service.singleFlight.run(`later ${key}`, path, deadlineIn(LIMIT_MS, signal), (context) => {
    const { source, directory, deadline, offer, stage } = context
    const request = { account: account.username, background: true, offer, stage }
    return service.pool.run({ path: source, facts, plan, directory, ...ffmpeg }, deadline, request)
  })
  // What a search of ten minutes came to is not what a request's timeout cut short.
  if (result === undefined || signal.aborted) return
  await service.store(key, answerFor(task, { ...result, made: { ...result.made, cutShort: false } }))
}

interface Kept {
  readonly key: string
  readonly path: string
  readonly signal: AbortSignal
}

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
  const work = async (service: Service, task: Task, kept: Kept): Promise<void> => {
    try {
      await finish(service, task, kept)
    } catch {
      // Others needed the worker, or the service ends: whoever asks again starts it again.
      tried.delete(kept.key)
    } finally {
      working.delete(kept.key)
      await removeFile(kept.path)
    }
  }
  return {
    take: async (service, task, key) => {
      if (closing.signal.aborted || working.size >= MOST || tried.has(key)) return
      remember(key)
      const path = join(directory, `later-${randomUUID()}`)
      await link(task.spooled.path, path).catch(() => copyFile(task.spooled.path, path))
      working.set(key, work(service, task, { key, path, signal: closing.signal }))
    },
    close: async () => {
      closing.abort(new Error('the service ends'))
      await Promise.all(working.values())
    },
  }
}
