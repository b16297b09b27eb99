import type { Queue, Worker } from 'bullmq'
import { Failure } from '../../core/failure.ts'
import { loadOptional } from '../../core/optional-package.ts'
import type { JobEnd, JobQueue, JobTicket } from '../../ports/jobs.ts'
import type { News } from './news.ts'
import type { RedisLink } from './redis.ts'

const QUEUE = 'deferred'
/** With these a job of a killed node is in other hands after 2.5 to 4 s (with BullMQ's own values: half a minute). */
const LOCK_MS = 2500
const LOOK_FOR_STALLED_MS = 1000
/** Seeing to a job costs nothing while the node that accepted it works on it. */
const JOBS_AT_ONCE = 200
/** A job that outlived so many nodes is given up: it may be what kills them. */
const MOST_DEATHS = 12
/** Longer than a result address has to last (§5.1). */
const REMEMBER_SECONDS = 2 * 3600
const LOOK_MS = 500
const ANNOUNCE_MS = 1500

type Bull = typeof import('bullmq')

const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`Redis did not answer within ${ms} ms.`)), ms)
  try {
    return await Promise.race([work, promise])
  } catch (error) {
    throw error instanceof Failure ? error : new Failure({ code: 'STORE_AWAY', args: [] }, error)
  } finally {
    clearTimeout(timer)
  }
}

const addTo = async (queue: Queue, ticket: JobTicket): Promise<void> => {
  await queue.add('see', ticket, {
    jobId: ticket.token,
    attempts: 20,
    backoff: { type: 'fixed', delay: 1000 },
    removeOnComplete: true,
    removeOnFail: { age: REMEMBER_SECONDS },
  })
}

const openWorker = (
  { Worker }: Bull,
  link: RedisLink,
  { prefix, see }: { readonly prefix: string; readonly see: (ticket: JobTicket) => Promise<void> },
): Worker =>
  new Worker(QUEUE, (job) => see(job.data as JobTicket), {
    connection: link.another('blocking'),
    prefix,
    concurrency: JOBS_AT_ONCE,
    lockDuration: LOCK_MS,
    stalledInterval: LOOK_FOR_STALLED_MS,
    maxStalledCount: MOST_DEATHS,
  }).on('error', () => undefined)

/**
 * Jobs as BullMQ keeps them on Redis: whoever is given one sees it to its end, and when that node dies another is given it.
 * How jobs ended is remembered for two hours. What could not be told while Redis was away is told when it is back.
 */
export const openBullQueue = async (link: RedisLink, news: News, prefix: string): Promise<JobQueue> => {
  const bull = await loadOptional({ name: 'bullmq', setting: 'REDIS_URL' }, () => import('bullmq'))
  const queue = new bull.Queue(QUEUE, { connection: link.client, prefix: `${prefix}bull` }).on('error', () => undefined)
  let worker: Worker | undefined
  const open = new Map<string, JobTicket>()
  const untold = new Map<string, JobEnd>()
  const statusOf = (token: string): string => `${prefix}job:${token}`

  const tellEnd = async (token: string, end: JobEnd): Promise<void> => {
    await link.ask((client) => client.set(statusOf(token), JSON.stringify(end), 'EX', REMEMBER_SECONDS))
    await news.tell(token)
  }
  const add = async (ticket: JobTicket): Promise<void> => {
    await link.ask((client) => client.set(statusOf(ticket.token), '', 'EX', REMEMBER_SECONDS, 'NX'))
    await within(ANNOUNCE_MS, addTo(queue, ticket))
  }
  /** Redis may have come back empty. */
  const tellAgain = async (): Promise<void> => {
    for (const ticket of open.values()) await add(ticket)
    for (const [token, end] of untold) {
      await tellEnd(token, end)
      untold.delete(token)
    }
  }
  link.client.on('ready', () => void tellAgain().catch(() => undefined))

  const find: JobQueue['find'] = async (token, signal) => {
    for (;;) {
      const status = await link.ask((client) => client.get(statusOf(token)))
      if (status === null) return 'unknown'
      if (status !== '') return JSON.parse(status) as JobEnd
      if (signal.aborted) return 'under way'
      await news.next(token, LOOK_MS, signal)
    }
  }

  return {
    announce: async (ticket) => {
      open.set(ticket.token, ticket)
      await add(ticket)
    },
    end: async (token, end) => {
      open.delete(token)
      await tellEnd(token, end).catch(() => untold.set(token, end))
    },
    find,
    work: (see) => {
      worker = openWorker(bull, link, { prefix: `${prefix}bull`, see })
    },
    close: async () => {
      // Not waiting for jobs: others are given them when this node's locks run out.
      await worker?.close(true).catch(() => undefined)
      await queue.close().catch(() => undefined)
    },
  }
}
