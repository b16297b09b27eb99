import { fail } from '../../../core/failure.ts'
import { CHECK_MS } from '../../../core/intervals.ts'
import type { WorkerProcess } from '../process/child.ts'
import { type ActiveAccounts, openActiveAccounts } from './active-accounts.ts'
import { type FairQueue, type JobCost, openFairQueue } from './fair-queue.ts'
import { openPeerLoad } from './peer-load.ts'

/** A job that waits for a child. */
export interface WaitingJob {
  readonly account: string
  readonly start: (child: WorkerProcess) => void
  readonly refuse: (reason: unknown) => void
}

/** Assigns children to waiting jobs: first to foreground jobs, then to background jobs. */
export interface Dispatch {
  readonly foreground: FairQueue<WaitingJob>
  readonly background: FairQueue<WaitingJob>
  readonly activeAccounts: ActiveAccounts
  /** Number of jobs that have a child. */
  readonly running: () => number
  /** Assigns idle children. Call it after a job was added. */
  readonly next: () => void
  /** Records that a job of this account has returned its child. */
  readonly ended: (account: string) => void
  /** Receives the number of requests that wait on another node. */
  readonly receiveLoad: (node: string, waiting: number) => void
  /** Refuses waiting jobs with SHUTTING_DOWN, and assigns no more children. */
  readonly close: () => void
}

/** Adds a job to a queue and resolves with its child. Removes the job and rejects with the signal's reason when the signal fires. */
export const queueUp = (queue: FairQueue<WaitingJob>, jobCost: JobCost, signal: AbortSignal): Promise<WorkerProcess> =>
  new Promise((resolve, reject) => {
    const leave = (): void => {
      queue.remove(waiting)
      reject(signal.reason)
    }
    const settled = <T>(settle: (value: T) => void) => {
      return (value: T): void => {
        signal.removeEventListener('abort', leave)
        settle(value)
      }
    }
    const waiting: WaitingJob = { account: jobCost.account, start: settled(resolve), refuse: settled(reject) }
    if (signal.aborted) return leave()
    signal.addEventListener('abort', leave, { once: true })
    queue.add(waiting, jobCost)
  })

const refuseAll = (queue: FairQueue<WaitingJob>): void => {
  for (let one = queue.next(); one !== undefined; one = queue.next()) one.refuse(fail('SHUTTING_DOWN'))
}

/** Opens both queues. At most `workers` jobs have a child at a time. `take` returns an idle child. */
export const openDispatch = (workers: number, take: () => WorkerProcess): Dispatch => {
  const [foreground, background] = [openFairQueue<WaitingJob>(), openFairQueue<WaitingJob>()]
  const activeAccounts = openActiveAccounts(workers, foreground.isInDebt)
  const peerLoad = openPeerLoad()
  let recheck: NodeJS.Timeout | undefined
  let running = 0
  let closed = false

  const begin = (waiting: WaitingJob): void => {
    try {
      waiting.start(take())
      running += 1
      activeAccounts.began(waiting.account)
    } catch (error) {
      waiting.refuse(error)
    }
  }
  /** Returns the next background job if no foreground job waits on any node. */
  const nextInBackground = (): WaitingJob | undefined => {
    if (foreground.size() > 0 || background.size() === 0) return undefined
    if (!peerLoad.isBusy()) return background.next()
    clearTimeout(recheck)
    recheck = setTimeout(next, CHECK_MS).unref()
    return undefined
  }
  const next = (): void => {
    while (!closed && running < workers) {
      const waiting = foreground.next(activeAccounts.mayRun) ?? nextInBackground()
      if (waiting === undefined) {
        // Checks jobs that wait because of a reservation again when other accounts become inactive.
        if (foreground.size() > 0) activeAccounts.callWhenInactive(next)
        return
      }
      begin(waiting)
    }
  }
  const ended = (account: string): void => {
    running -= 1
    activeAccounts.ended(account)
    next()
  }
  const close = (): void => {
    closed = true
    clearTimeout(recheck)
    activeAccounts.close()
    for (const queue of [foreground, background]) refuseAll(queue)
  }
  return {
    foreground,
    background,
    activeAccounts,
    running: () => running,
    next,
    ended,
    receiveLoad: peerLoad.receiveLoad,
    close,
  }
}
