import type { Queue, Worker } from 'bullmq'
import { Failure } from '../../core/failure.ts'
import { OUTCOME_MS } from '../../core/intervals.ts'
import type { JobQueue, JobTicket } from '../../ports/jobs.ts'
import { loadOptional } from '../../support/optional-package.ts'
import { openJobStatuses, type SealedSettings } from './job-statuses.ts'
import { openOwnJobs } from './own-jobs.ts'
import type { RedisLink } from './redis.ts'
import { openRedisMemory } from './redis-memory.ts'

/** The queue of sealed jobs. Earlier versions cannot open them and use another queue. */
const QUEUE = 'sealed'
/** With these values another node continues a killed node's job after 2.5 to 4 s. With BullMQ's defaults it takes half a minute. */
const LOCK = {
  /** ms until the lock of a silent node expires. */
  ms: 2500,
  /** ms between checks for jobs without a lock. */
  checkMs: 1000,
} as const
/** Maximum concurrent jobs in BullMQ on this node. A job costs nothing while the node that accepted it works on it. */
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

/**
 * Opens a queue of jobs in BullMQ on Redis. When the node of a job dies, another node continues the job. Redis keeps ends of jobs for two
 * hours. The queue repeats writes that Redis missed or lost within two seconds.
 */
export const openBullQueue = async (link: RedisLink, settings: SealedSettings): Promise<JobQueue> => {
  const { seal } = settings
  const prefix = `${settings.prefix}bull`
  const bull = await loadOptional({ name: 'bullmq', setting: 'REDIS_URL' }, () => import('bullmq'))
  const queue = new bull.Queue(QUEUE, { connection: link.client, prefix }).on('error', () => undefined)
  let worker: Worker | undefined
  const statuses = openJobStatuses(link, settings)
  const own = openOwnJobs(statuses, async (ticket) => {
    await link.ask(() => addTo(queue, { sealed: seal.close(ticket, TICKET) }, seal.name(`job ${ticket.token}`)))
  })
  const memory = await openRedisMemory(link, `${settings.prefix}memory`, own.repeat)

  const find: JobQueue['find'] = async (token, signal) => {
    for (;;) {
      const status = await statuses.read(token)
      if (status === 'unknown' && (await memory.isYoung()))
        throw new Failure({ code: 'STORE_AWAY', args: [] }, new Error('Redis has forgotten its jobs.'))
      if (status !== 'under way' || signal.aborted) return status
      await statuses.whenEnded(token, signal)
    }
  }

  return {
    announce: own.announce,
    end: own.end,
    find,
    work: (see) => {
      const seeSealed = async ({ sealed }: SealedJob): Promise<void> => {
        const ticket = seal.open(sealed, TICKET) as JobTicket | undefined
        // Ignores jobs that no node of this installation has sealed.
        if (ticket !== undefined) await see(ticket)
      }
      worker = openWorker(bull, link, { prefix, see: seeSealed })
    },
    close: async () => {
      memory.close()
      // Does not wait for jobs. Other nodes continue them when this node's locks expire.
      await worker?.close(true).catch(() => undefined)
      await queue.close().catch(() => undefined)
    },
  }
}
