import type { Queue, Worker } from 'bullmq'
import { Failure } from '../../core/failure.ts'
import { CHECK_MS, MAX_REMEMBERED, OUTCOME_MS } from '../../core/intervals.ts'
import type { JobEnd, JobQueue, JobTicket } from '../../ports/jobs.ts'
import { loadOptional } from '../../support/optional-package.ts'
import type { NodeEvents } from './node-events.ts'
import type { RedisLink } from './redis.ts'
import { openRedisMemory } from './redis-memory.ts'
import type { Seal } from './seal.ts'

/** The queue of sealed jobs. Earlier versions cannot open them and use another queue. */
const QUEUE = 'sealed'
/** With these values another node takes over a killed node's job after 2.5 to 4 s. BullMQ's defaults give half a minute. */
const LOCK = {
  /** ms until the lock of a silent node expires. */
  ms: 2500,
  /** ms between checks for jobs without a lock. */
  checkMs: 1000,
} as const
/** Concurrent jobs in BullMQ on this node. They cost nothing while the node that accepted them works on them. */
const MAX_CONCURRENT_JOBS = 200
/** Deaths of nodes after which their job is abandoned, since it may be the cause. */
const MAX_NODE_DEATHS = 12

type Bull = typeof import('bullmq')

/** The data of a job in BullMQ. */
interface SealedJob {
  readonly sealed: string
}

/** The context that tickets are sealed for. */
const TICKET = 'ticket'

const addTo = async (queue: Queue, job: SealedJob, jobId: string): Promise<void> => {
  await queue.add('see', job, {
    jobId,
    attempts: 20,
    backoff: { type: 'fixed', delay: 1000 },
    removeOnComplete: true,
    removeOnFail: { age: OUTCOME_MS / 1000 },
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
    concurrency: MAX_CONCURRENT_JOBS,
    lockDuration: LOCK.ms,
    stalledInterval: LOCK.checkMs,
    maxStalledCount: MAX_NODE_DEATHS,
  }).on('error', () => undefined)

/** Ends of jobs, to publish them again when Redis has lost them. Excludes jobs whose stored image shows their end. */
const openEnds = () => {
  const ends = new Map<string, { readonly end: JobEnd; readonly at: number }>()
  const isExpired = ({ at }: { readonly at: number }): boolean => Date.now() - at > OUTCOME_MS
  return {
    add: (token: string, end: JobEnd): void => {
      if (end.kind === 'stored') return
      ends.set(token, { end, at: Date.now() })
      for (const [oldest, one] of ends) {
        if (ends.size <= MAX_REMEMBERED && !isExpired(one)) break
        ends.delete(oldest)
      }
    },
    all: (): readonly (readonly [string, JobEnd])[] => [...ends].map(([token, { end }]) => [token, end]),
  }
}

export interface BullQueueSettings {
  readonly events: NodeEvents
  readonly prefix: string
  readonly seal: Seal
}

/**
 * Jobs in BullMQ on Redis. When the node of a job dies, another node takes the job over. Ends of jobs are kept for two hours. Writes that
 * Redis missed or lost are repeated within two seconds.
 */
export const openBullQueue = async (
  link: RedisLink,
  { events, prefix, seal }: BullQueueSettings,
): Promise<JobQueue> => {
  const bull = await loadOptional({ name: 'bullmq', setting: 'REDIS_URL' }, () => import('bullmq'))
  const queue = new bull.Queue(QUEUE, { connection: link.client, prefix: `${prefix}bull` }).on('error', () => undefined)
  let worker: Worker | undefined
  /** Unfinished jobs of this node. */
  const open = new Map<string, JobTicket>()
  /** Tokens of jobs, and ends of jobs, that Redis does not have yet. */
  const unannounced = new Set<string>()
  const unpublished = new Map<string, JobEnd>()
  const ends = openEnds()
  const nameOf = (token: string): string => seal.name(`job ${token}`)
  const statusOf = (token: string): string => `${prefix}job:${nameOf(token)}`

  const publishEnd = async (token: string, end: JobEnd): Promise<void> => {
    const status = seal.close(end, statusOf(token))
    await link.ask((client) => client.set(statusOf(token), status, 'PX', OUTCOME_MS))
    unpublished.delete(token)
    await events.publish(nameOf(token))
  }
  const add = async (ticket: JobTicket): Promise<void> => {
    const { token } = ticket
    unannounced.add(token)
    await link.ask((client) => client.set(statusOf(token), '', 'PX', OUTCOME_MS, 'NX'))
    await link.ask(() => addTo(queue, { sealed: seal.close(ticket, TICKET) }, nameOf(token)))
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
      await events.next(nameOf(token), CHECK_MS, signal)
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
        // Ignores jobs that no node of this installation has sealed.
        if (ticket !== undefined) await see(ticket)
      }
      worker = openWorker(bull, link, { prefix: `${prefix}bull`, see: seeSealed })
    },
    close: async () => {
      memory.close()
      // Does not wait for jobs. Other nodes take them over when this node's locks expire.
      await worker?.close(true).catch(() => undefined)
      await queue.close().catch(() => undefined)
    },
  }
}
