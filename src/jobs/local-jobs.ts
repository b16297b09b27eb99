import { Failure, fail } from '../core/failure.ts'
import { MAX_REMEMBERED, OUTCOME_MS, RARE_CHECK_MS } from '../core/intervals.ts'
import type { JobClaim, JobEnd } from '../ports/jobs.ts'
import type { Answer, ImageAnswer } from './answer.ts'

/** Maximum bytes of images in memory that the result store did not accept. The oldest are removed first. */
const MAX_IMAGE_BYTES = 200e6

/** A deferred job of this process. */
export interface LocalJob {
  readonly answer: Promise<Answer>
  /** Bytes in memory after the end. */
  bytes: number
  /** ms since the epoch. */
  finishedAt: number | undefined
  /** Resolves when the outcome is known and stored. */
  settled: Promise<void>
}

export interface LocalJobs {
  /** Tracks a job until its outcome is stored, then releases its claim. */
  readonly begin: (token: string, answer: Promise<Answer>, claim: Promise<JobClaim | undefined>) => LocalJob
  /** A job that runs here, or whose outcome only this process has. */
  readonly get: (token: string) => LocalJob | undefined
  readonly underWay: () => readonly LocalJob[]
}

export interface LocalJobsSettings {
  /** Moves a finished image into the result store under its token. False when the store does not accept it. */
  readonly store: (key: string, answer: ImageAnswer) => Promise<boolean>
  /** Announces the outcome of a job to the other nodes. */
  readonly end: (token: string, end: JobEnd) => Promise<void>
}

const endOf = (answer: Answer): JobEnd => {
  if (answer.kind === 'image') return { kind: 'stored' }
  // Jobs only redirect to sources, never to other jobs.
  const url = answer.to.kind === 'source' ? answer.to.url : ''
  return { kind: 'redirect', url, warnings: answer.warnings }
}

const failedEnd = (error: unknown, token: string): JobEnd => ({
  kind: 'failed',
  failure: (error instanceof Failure ? error : fail('SERVER_FAULT', token)).toData(),
})

/** Removes expired outcomes, and the oldest finished ones above the limits. */
const sweep = (jobs: Map<string, LocalJob>): void => {
  const expired = Date.now() - OUTCOME_MS
  let bytes = [...jobs.values()].reduce((sum, job) => sum + job.bytes, 0)
  for (const [token, { finishedAt, bytes: own }] of jobs) {
    const tooMuch = jobs.size > MAX_REMEMBERED || (own > 0 && bytes > MAX_IMAGE_BYTES)
    if (finishedAt === undefined || (finishedAt >= expired && !tooMuch)) continue
    jobs.delete(token)
    bytes -= own
  }
}

/** Opens the deferred jobs of this process. */
export const openLocalJobs = ({ store, end }: LocalJobsSettings): LocalJobs => {
  const jobs = new Map<string, LocalJob>()

  const storeAgain = (token: string, answer: ImageAnswer): void => {
    const later = setTimeout(async () => {
      if (!jobs.has(token)) return
      if (!(await store(token, answer))) return storeAgain(token, answer)
      jobs.delete(token)
      await end(token, { kind: 'stored' })
    }, RARE_CHECK_MS)
    later.unref()
  }

  /** Stores and announces an outcome. An image that the store does not accept stays in memory and is retried. */
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
