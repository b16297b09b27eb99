import type { Deadline } from '../../../core/deadline.ts'
import { lazily } from '../../../support/lazily.ts'
import type { WorkerProcess } from '../process/child.ts'
import type { Share } from './fair-queue.ts'
import { fairTimeOf } from './fair-time.ts'

type Child = Pick<WorkerProcess, 'share'>

/** A foreground job that has a child, from `since` to the deadline at `until`. */
interface RunningJob {
  readonly child: Child
  readonly share: Share
  readonly since: number
  readonly until: number
  wasLimited: boolean
}

/** The times of running jobs. */
export interface TimeShares {
  /**
   * Counts a job as running until the result is called, which returns whether the job ever had less than its whole time. A job in the
   * background, without a deadline, has all of its time.
   */
  readonly begin: (child: Child, share: Share, deadline: Pick<Deadline, 'remaining'> | undefined) => () => boolean
  /** Called when a job begins to wait. */
  readonly renew: () => void
}

/** The state of the queue that times depend on. */
export interface TimeSharesSettings {
  readonly workers: number
  /** Accounts and costs of all jobs that wait. */
  readonly waiting: () => readonly Share[]
  /** Predicted ms of one worker for jobs of this cost and for the rest of the running jobs; 0 while it is unknown. */
  readonly msFor: (cost: number) => number
  readonly now?: () => number
}

/**
 * Limits the times of running jobs while others wait that would else have none. Without these limits two large jobs would take all of the
 * time, and the next two none. There is no limit where all jobs are predicted to end before the deadline.
 */
export const openTimeShares = (settings: TimeSharesSettings): TimeShares => {
  const { workers, waiting: waitingShares, msFor, now = () => performance.now() } = settings
  const jobs = new Set<RunningJob>()
  /** Children with a limit. Others need no message. */
  const limited = new Set<Child>()
  const limit = (child: Child, ms: number): void => {
    limited.add(child)
    child.share(ms)
  }
  const unlimit = (child: Child): void => {
    if (limited.delete(child)) child.share(undefined)
  }
  const renew = (): void => {
    const waiting = waitingShares()
    if (waiting.length === 0) {
      for (const child of limited) unlimit(child)
      return
    }
    const predicted = msFor(waiting.reduce((sum, { cost }) => sum + cost, 0)) / workers
    const partOf = lazily(() => fairTimeOf([...waiting, ...[...jobs].map(({ share }) => share)], workers))
    for (const job of jobs) {
      const { child, share, since, until } = job
      if (predicted > 0 && predicted <= until - now()) {
        unlimit(child)
        continue
      }
      job.wasLimited = true
      limit(child, Math.max(0, since + (until - since) * partOf()(share) - now()))
    }
  }
  const begin: TimeShares['begin'] = (child, share, deadline) => {
    if (deadline === undefined) return () => false
    const since = now()
    const job: RunningJob = { child, share, since, until: since + deadline.remaining(), wasLimited: false }
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
