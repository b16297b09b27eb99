import type { Deadline } from '../../../core/deadline.ts'
import { fail } from '../../../core/failure.ts'
import type { NodeLoad } from '../../../core/node-load.ts'
import type { Ending, WorkerProcess } from '../process/child.ts'
import { type ChildrenSettings, openChildren } from '../process/children.ts'
import { type Admission, admissionTo } from './admission.ts'
import { openDispatch, queueUp } from './dispatch.ts'
import type { JobCost } from './fair-queue.ts'
import { openTally } from './tally.ts'
import { openThroughput } from './throughput.ts'
import { openTimeShares } from './time-shares.ts'

export interface SchedulerSettings extends ChildrenSettings {
  /** Jobs that may wait; one more is refused with OVERLOADED. */
  readonly queueLimit: number
}

/** Assigns children: first to foreground jobs, then to background jobs. */
export interface Scheduler {
  /** A child for one job. Rejects with a Failure if the queue is full, and with the deadline's reason when that is over. */
  readonly wait: (jobCost: JobCost, isBackground: boolean, deadline: Deadline) => Promise<WorkerProcess>
  /** Call it when the job begins, with the deadline of a foreground job. The returned function takes the child back with its ending. */
  readonly giveBack: (
    child: WorkerProcess,
    jobCost: JobCost,
    deadline: Deadline | undefined,
  ) => (ending: Ending | Promise<Ending>) => Promise<void>
  readonly refusal: Admission['refusal']
  /** Background jobs, oldest first. The newest is ended when a foreground job waits. */
  readonly preemptible: Set<AbortController>
  /** Foreground jobs without a worker. */
  readonly depth: () => number
  readonly busy: () => number
  /** Sends and receives loads, so that nodes are fair together. */
  readonly takeLoad: () => NodeLoad
  readonly receiveLoad: (node: string, load: NodeLoad) => void
  readonly close: () => Promise<void>
}

/** Charge for abandoned work, as a multiple of its cost: an account that always abandons its work gets a quarter of what others get. */
const ABANDONED = 3
/** ms of a core to start a child: charged to an account whose child was killed. */
const START_MS = 1_000

/** Estimates the running foreground work, and measures the throughput. */
const openLoad = () => {
  const throughput = openThroughput()
  let runningCost = 0
  /** Counts a job as running. The returned function ends that. A job with less than its whole time does not show the throughput. */
  const begin = ({ cost }: JobCost): ((wasLimited: boolean) => void) => {
    const since = performance.now()
    runningCost += cost
    return (wasLimited) => {
      runningCost -= cost
      if (!wasLimited) throughput.learn(cost, performance.now() - since)
    }
  }
  // On average, running work is half done.
  return { begin, msFor: (cost: number) => throughput.msFor(cost + runningCost / 2), costOf: throughput.costOf }
}

/** Ends the newest background job for a foreground job: it has done the least work. */
const preempt = (jobs: ReadonlySet<AbortController>): void => {
  const [newest] = [...jobs].reverse()
  newest?.abort(new Error('a client waits for this worker'))
}

/** Opens a scheduler; children are started when first needed. */
export const openScheduler = (settings: SchedulerSettings): Scheduler => {
  const { workers, queueLimit } = settings
  const children = openChildren(settings)
  const dispatch = openDispatch(workers, children.take)
  const { foreground, background, activeAccounts, running } = dispatch
  const preemptible = new Set<AbortController>()
  const load = openLoad()
  const tally = openTally()
  const timeShares = openTimeShares({ workers, waiting: foreground.costs, msFor: load.msFor })
  let closed = false
  const { isFull, refusal, overloaded } = admissionTo({
    workers,
    queueLimit,
    running,
    waiting: foreground.size,
    countOf: foreground.countOf,
    isModest: foreground.isModest,
    msAhead: (account) => load.msFor(foreground.costAhead(account)),
  })

  const wait: Scheduler['wait'] = async (jobCost, isBackground, { signal }) => {
    if (closed) throw fail('SHUTTING_DOWN')
    if (!isBackground) activeAccounts.seen(jobCost.account)
    if (isFull(jobCost.account)) throw overloaded(jobCost.account)
    const child = queueUp(isBackground ? background : foreground, jobCost, signal)
    dispatch.next()
    if (foreground.size() > 0) preempt(preemptible)
    timeShares.renew()
    if (foreground.size() > queueLimit) foreground.evict()?.refuse(overloaded(jobCost.account))
    return child
  }
  const giveBack: Scheduler['giveBack'] = (child, jobCost, deadline) => {
    const isBackground = deadline === undefined
    const end = isBackground ? () => undefined : load.begin(jobCost)
    const since = performance.now()
    if (!isBackground) tally.count(jobCost)
    const release = timeShares.begin(child, jobCost, deadline)
    const recover = async (ending: Promise<Ending>): Promise<void> => {
      const extra = (await children.recover(child, ending)) ? START_MS : 0
      const cost = ABANDONED * load.costOf(performance.now() - since + extra)
      if (!isBackground) foreground.charge({ account: jobCost.account, cost })
    }
    return async (ending) => {
      end(release())
      if (ending instanceof Promise) await recover(ending)
      else children.putBack(child, ending)
      dispatch.ended(jobCost.account)
    }
  }
  const receiveLoad: Scheduler['receiveLoad'] = (node, { waiting, begun }) => {
    dispatch.receiveLoad(node, waiting)
    for (const [account, cost] of Object.entries(begun)) foreground.charge({ account, cost })
  }
  const close = async (): Promise<void> => {
    closed = true
    dispatch.close()
    await children.close()
  }
  const takeLoad = (): NodeLoad => ({ waiting: foreground.size(), begun: tally.take() })
  return { wait, giveBack, refusal, takeLoad, receiveLoad, close, preemptible, depth: foreground.size, busy: running }
}
