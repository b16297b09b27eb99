import type { Deadline } from '../../../core/deadline.ts'
import { lazily } from '../../../support/lazily.ts'
import type { WorkerProcess } from '../process/child.ts'
import type { JobCost } from './fair-queue.ts'
import { fairTimeOf } from './fair-time.ts'

type Child = Pick<WorkerProcess, 'limitTime'>

/** A foreground job that has a child, from `since` to the deadline at `until`. */
interface RunningJob {
  readonly child: Child
  readonly jobCost: JobCost
  readonly since: number
  readonly until: number
  wasLimited: boolean
}

/** Limits of the times of running jobs. */
export interface TimeShares {
  /**
   * Counts a job as running. The returned function ends that, and returns whether the job ever had less than its whole time. A background
   * job, without a deadline, has its whole time.
   */
  readonly begin: (child: Child, jobCost: JobCost, deadline: Pick<Deadline, 'remaining'> | undefined) => () => boolean
  /** Sets the limits again. Call it when a job begins to wait. */
  readonly renew: () => void
}

/** The state of the queue that the limits depend on. */
export interface TimeSharesSettings {
  readonly workers: number
  /** Costs of all waiting jobs. */
  readonly waiting: () => readonly JobCost[]
  /** Predicted ms of one worker for jobs of this cost and for the rest of the running jobs; 0 while it is unknown. */
  readonly msFor: (cost: number) => number
  readonly now?: () => number
}

/**
 * Limits the times of running jobs while other jobs wait. Without limits, two large jobs would take all of the time and leave none for the
 * next two. A job has no limit if all waiting jobs are predicted to end before its deadline.
 */
export const openTimeShares = (settings: TimeSharesSettings): TimeShares => {
  const { workers, waiting: waitingShares, msFor, now = () => performance.now() } = settings
  const jobs = new Set<RunningJob>()
  /** Children with a limit. Others need no message. */
  const limited = new Set<Child>()
  const limit = (child: Child, ms: number): void => {
    limited.add(child)
    child.limitTime(ms)
  }
  const unlimit = (child: Child): void => {
    if (limited.delete(child)) child.limitTime(undefined)
  }
  const renew = (): void => {
    const waiting = waitingShares()
    if (waiting.length === 0) {
      for (const child of limited) unlimit(child)
      return
    }
    const predicted = msFor(waiting.reduce((sum, { cost }) => sum + cost, 0)) / workers
    const partOf = lazily(() => fairTimeOf([...waiting, ...[...jobs].map(({ jobCost }) => jobCost)], workers))
    for (const job of jobs) {
      const { child, jobCost, since, until } = job
      if (predicted > 0 && predicted <= until - now()) {
        unlimit(child)
        continue
      }
      job.wasLimited = true
      limit(child, Math.max(0, since + (until - since) * partOf()(jobCost) - now()))
    }
  }
  const begin: TimeShares['begin'] = (child, jobCost, deadline) => {
    if (deadline === undefined) return () => false
    const since = now()
    const job: RunningJob = { child, jobCost, since, until: since + deadline.remaining(), wasLimited: false }
    jobs.add(job)
    renew()
    return () => {
      jobs.delete(job)
      unlimit(child)
      renew()
      return job.wasLimited
    }
  }
  return { begin, renew }
}
