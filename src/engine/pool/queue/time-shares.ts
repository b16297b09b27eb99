import type { Deadline } from '../../../core/deadline.ts'
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
}

/** The times of running jobs. */
export interface TimeShares {
  /** Counts a job as running until the result is called. A job in the background, without a deadline, has all of its time. */
  readonly begin: (child: Child, share: Share, deadline: Pick<Deadline, 'remaining'> | undefined) => () => void
  /** Called when a job begins to wait. */
  readonly renew: () => void
}

/** Tells children how much of their time they may take while foreground jobs wait. Without these times two jobs would take all of it, and the next two none. */
export const openTimeShares = (
  workers: number,
  waitingShares: () => readonly Share[],
  now = () => performance.now(),
): TimeShares => {
  const jobs = new Set<RunningJob>()
  let isLimited = false
  const renew = (): void => {
    const waiting = waitingShares()
    if (waiting.length === 0 && !isLimited) return
    isLimited = waiting.length > 0
    const partOf = fairTimeOf([...waiting, ...[...jobs].map(({ share }) => share)], workers)
    for (const { child, share, since, until } of jobs) {
      const end = since + (until - since) * partOf(share)
      child.share(isLimited ? Math.max(0, end - now()) : undefined)
    }
  }
  const begin: TimeShares['begin'] = (child, share, deadline) => {
    child.share(undefined)
    if (deadline === undefined) return () => undefined
    const since = now()
    const job = { child, share, since, until: since + deadline.remaining() }
    jobs.add(job)
    renew()
    return () => {
      jobs.delete(job)
      renew()
    }
  }
  return { begin, renew }
}
