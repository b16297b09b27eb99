import { Failure, fail } from '../core/failure.ts'
import type { JobClaim, JobEnd } from '../ports/jobs.ts'
import type { Answer, ImageAnswer } from './answer.ts'

/** How long what is not kept in the result store (failures, redirects to the source) is remembered: §5.1, at least an hour. */
const REMEMBER_MS = 2 * 3600e3
/** More deferred outcomes than this are not remembered at once; the oldest finished ones go first. */
const MOST_REMEMBERED = 10_000
/** Bytes of images that may wait in memory because the result store did not take them; the oldest go first. */
const MOST_BYTES = 200e6
/** How often an image that the store did not take is offered again. */
const STORE_AGAIN_MS = 5000

/** Deferred work of this process. */
export interface LocalJob {
  readonly answer: Promise<Answer>
  /** Bytes held in memory once finished. */
  bytes: number
  /** ms since the epoch. */
  finishedAt: number | undefined
  /** Resolves when the outcome is known and stored. */
  settled: Promise<void>
}

export interface LocalJobs {
  /** Follows a job until its outcome is stored, then gives its claim back. */
  readonly begin: (token: string, answer: Promise<Answer>, claim: Promise<JobClaim | undefined>) => LocalJob
  /** A job that is under way here, or whose outcome is remembered here alone. */
  readonly get: (token: string) => LocalJob | undefined
  readonly underWay: () => readonly LocalJob[]
}

export interface LocalJobsSettings {
  /** Moves a finished image into the result store under its token; false when it was not taken. */
  readonly store: (key: string, answer: ImageAnswer) => Promise<boolean>
  /** Tells the other nodes how a job ended. */
  readonly end: (token: string, end: JobEnd) => Promise<void>
}

const endOf = (answer: Answer): JobEnd => {
  if (answer.kind === 'image') return { kind: 'stored' }
  // Only sources are redirected to here: a job does not end in another job.
  const url = answer.to.kind === 'source' ? answer.to.url : ''
  return { kind: 'redirect', url, warnings: answer.warnings }
}

const failedEnd = (error: unknown, token: string): JobEnd => ({
  kind: 'failed',
  failure: (error instanceof Failure ? error : fail('SERVER_FAULT', token)).toData(),
})

/** Forgets what is old, and of what is finished the oldest while there is too much. */
const sweep = (jobs: Map<string, LocalJob>): void => {
  const expired = Date.now() - REMEMBER_MS
  let bytes = [...jobs.values()].reduce((sum, job) => sum + job.bytes, 0)
  for (const [token, { finishedAt, bytes: own }] of jobs) {
    const tooMuch = jobs.size > MOST_REMEMBERED || (own > 0 && bytes > MOST_BYTES)
    if (finishedAt === undefined || (finishedAt >= expired && !tooMuch)) continue
    jobs.delete(token)
    bytes -= own
  }
}

/** Opens the memory of this process's deferred work. */
export const openLocalJobs = ({ store, end }: LocalJobsSettings): LocalJobs => {
  const jobs = new Map<string, LocalJob>()

  const storeAgain = (token: string, answer: ImageAnswer): void => {
    const later = setTimeout(async () => {
      if (!jobs.has(token)) return
      if (!(await store(token, answer))) return storeAgain(token, answer)
      jobs.delete(token)
      await end(token, { kind: 'stored' })
    }, STORE_AGAIN_MS)
    later.unref()
  }

  /** Stores what came out and tells the others; an image that the store does not take stays here and is offered again. */
  const conclude = async (token: string, job: LocalJob): Promise<void> => {
    const answer = await job.answer
    if (answer.kind === 'image' && !(await store(token, answer))) {
      job.bytes = typeof answer.body === 'function' ? 0 : answer.bytes
      return storeAgain(token, answer)
    }
    if (answer.kind === 'image') jobs.delete(token)
    await end(token, endOf(answer))
  }

  const finish = async (token: string, job: LocalJob, claim: Promise<JobClaim | undefined>): Promise<void> => {
    await conclude(token, job).catch((error: unknown) => end(token, failedEnd(error, token)))
    job.finishedAt = Date.now()
    sweep(jobs)
    const held = await claim
    await held?.[Symbol.asyncDispose]()
  }

  return {
    begin: (token, answer, claim) => {
      const job: LocalJob = { answer, bytes: 0, finishedAt: undefined, settled: Promise.resolve() }
      jobs.set(token, job)
      job.settled = finish(token, job, claim)
      return job
    },
    get: (token) => jobs.get(token),
    underWay: () => [...jobs.values()].filter((job) => job.finishedAt === undefined),
  }
}
