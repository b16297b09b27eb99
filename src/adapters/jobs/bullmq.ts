import type { Queue, Worker } from 'bullmq'
import { Failure } from '../../core/failure.ts'
import type { JobEnd, JobQueue, JobTicket } from '../../ports/jobs.ts'
import { loadOptional } from '../../support/optional-package.ts'
import type { News } from './news.ts'
import type { RedisLink } from './redis.ts'
import { openRedisMemory } from './redis-memory.ts'
import type { Seal } from './seal.ts'

/** Sealed jobs: earlier versions, which cannot open them, look at another queue. */
const QUEUE = 'sealed'
/** With these a job of a killed node is in other hands after 2.5 to 4 s (with BullMQ's own values: half a minute). */
const LOCK = {
  /** ms that a lock lasts. */
  ms: 2500,
  /** ms between looks for stalled jobs. */
  lookMs: 1000,
} as const
/** Jobs of this node that BullMQ runs at once. They cost nothing while the node that accepted them works on them. */
const JOBS_AT_ONCE = 200
/** A job is given up after the deaths of this many nodes: it may be their cause. */
const MAX_NODE_DEATHS = 12
/** Longer than a result address has to last (§5.1). */
const REMEMBER_SECONDS = 2 * 3600
/** ms between looks at a result while no message of it comes. Chosen, not measured. */
const LOOK_MS = 500
/** Ends of jobs that a node remembers, to publish them again. */
const MAX_ENDS = 10_000
/** ms within which a job must be in the queue. Chosen, not measured. */
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

/** A job as BullMQ keeps it. */
interface SealedJob {
  readonly sealed: string
}

/** The place that tickets are sealed for. */
const TICKET = 'ticket'

const addTo = async (queue: Queue, job: SealedJob, jobId: string): Promise<void> => {
  await queue.add('see', job, {
    jobId,
    attempts: 20,
    backoff: { type: 'fixed', delay: 1000 },
    removeOnComplete: true,
    removeOnFail: { age: REMEMBER_SECONDS },
  })
}

interface WorkerSettings {
  readonly prefix: string
  readonly see: (job: SealedJob) => Promise<void>
}

const openWorker = ({ Worker }: Bull, link: RedisLink, { prefix, see }: WorkerSettings): Worker =>
  new Worker(QUEUE, (job) => see(job.data as SealedJob), {
    connection: link.another('blocking'),
    prefix,
    concurrency: JOBS_AT_ONCE,
    lockDuration: LOCK.ms,
    stalledInterval: LOCK.lookMs,
    maxStalledCount: MAX_NODE_DEATHS,
  }).on('error', () => undefined)

/** Ends of jobs that are published again when Redis lost them, unless the stored image shows the end: `MAX_ENDS` of them, for REMEMBER_SECONDS. */
const openEnds = () => {
  const ends = new Map<string, { readonly end: JobEnd; readonly at: number }>()
  const isOver = ({ at }: { readonly at: number }): boolean => Date.now() - at > REMEMBER_SECONDS * 1000
  return {
    add: (token: string, end: JobEnd): void => {
      if (end.kind === 'stored') return
      ends.set(token, { end, at: Date.now() })
      for (const [oldest, one] of ends) {
        if (ends.size <= MAX_ENDS && !isOver(one)) break
        ends.delete(oldest)
      }
    },
    all: (): readonly (readonly [string, JobEnd])[] => [...ends].map(([token, { end }]) => [token, end]),
  }
}

export interface BullQueueSettings {
  readonly news: News
  readonly prefix: string
  readonly seal: Seal
}

/**
 * Jobs in BullMQ on Redis. A node that takes a job works on it to its end; when that node dies, another takes it.
 * Ends of jobs are remembered for two hours. Writes that Redis missed or lost are repeated within two seconds.
 */
export const openBullQueue = async (link: RedisLink, { news, prefix, seal }: BullQueueSettings): Promise<JobQueue> => {
  const bull = await loadOptional({ name: 'bullmq', setting: 'REDIS_URL' }, () => import('bullmq'))
  const queue = new bull.Queue(QUEUE, { connection: link.client, prefix: `${prefix}bull` }).on('error', () => undefined)
  let worker: Worker | undefined
  /** Jobs of this node, and those of them that Redis does not know of yet. */
  const open = new Map<string, JobTicket>()
  const unannounced = new Set<string>()
  const unpublished = new Map<string, JobEnd>()
  const ends = openEnds()
  const nameOf = (token: string): string => seal.name(`job ${token}`)
  const statusOf = (token: string): string => `${prefix}job:${nameOf(token)}`

  const publishEnd = async (token: string, end: JobEnd): Promise<void> => {
    const status = seal.close(end, statusOf(token))
    await link.ask((client) => client.set(statusOf(token), status, 'EX', REMEMBER_SECONDS))
    unpublished.delete(token)
    await news.publish(nameOf(token))
  }
  const add = async (ticket: JobTicket): Promise<void> => {
    const { token } = ticket
    unannounced.add(token)
    await link.ask((client) => client.set(statusOf(token), '', 'EX', REMEMBER_SECONDS, 'NX'))
    await within(ANNOUNCE_MS, addTo(queue, { sealed: seal.close(ticket, TICKET) }, nameOf(token)))
    unannounced.delete(token)
  }
  const publishAgain = async (isForgotten: boolean): Promise<void> => {
    if (isForgotten) {
      for (const token of open.keys()) unannounced.add(token)
      for (const [token, end] of ends.all()) unpublished.set(token, end)
    }
    for (const token of unannounced) {
      const ticket = open.get(token)
      if (ticket === undefined) unannounced.delete(token)
      else await add(ticket)
    }
    for (const [token, end] of unpublished) await publishEnd(token, end)
  }
  const memory = await openRedisMemory(link, `${prefix}memory`, publishAgain)

  const find: JobQueue['find'] = async (token, signal) => {
    for (;;) {
      const status = await link.ask((client) => client.get(statusOf(token)))
      if (status === null) {
        if (await memory.isYoung())
          throw new Failure({ code: 'STORE_AWAY', args: [] }, new Error('Redis has forgotten its jobs.'))
        return 'unknown'
      }
      const end = status === '' ? undefined : (seal.open(status, statusOf(token)) as JobEnd | undefined)
      if (end !== undefined) return end
      if (signal.aborted) return 'under way'
      await news.next(nameOf(token), LOOK_MS, signal)
    }
  }

  return {
    announce: async (ticket) => {
      open.set(ticket.token, ticket)
      await add(ticket)
    },
    end: async (token, end) => {
      open.delete(token)
      ends.add(token, end)
      await publishEnd(token, end).catch(() => unpublished.set(token, end))
    },
    find,
    work: (see) => {
      const seeSealed = async ({ sealed }: SealedJob): Promise<void> => {
        const ticket = seal.open(sealed, TICKET) as JobTicket | undefined
        // Jobs that no node of this installation has sealed are ignored.
        if (ticket !== undefined) await see(ticket)
      }
      worker = openWorker(bull, link, { prefix: `${prefix}bull`, see: seeSealed })
    },
    close: async () => {
      memory.close()
      // Not waiting for jobs: others are given them when this node's locks run out.
      await worker?.close(true).catch(() => undefined)
      await queue.close().catch(() => undefined)
    },
  }
}
