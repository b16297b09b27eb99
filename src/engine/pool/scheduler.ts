import type { Deadline } from '../../core/deadline.ts'
import { fail } from '../../core/failure.ts'
import type { NodeLoad } from '../../core/node-load.ts'
import { type Admission, admissionTo } from './admission.ts'
import type { Ending, WorkerProcess } from './child.ts'
import { type ChildrenSettings, openChildren } from './children.ts'
import { openElsewhere } from './elsewhere.ts'
import { type FairQueue, openFairQueue, type Share } from './fair-queue.ts'
import { openPace } from './pace.ts'
import { openPresence } from './presence.ts'

export interface SchedulerSettings extends ChildrenSettings {
  /** Jobs that may wait; one more is refused with OVERLOADED. */
  readonly queueLimit: number
}

/** Hands out children: first for what somebody waits for, then for the rest. */
export interface Scheduler {
  /** A child for one job; rejects with a Failure when there is no room, and with the deadline's reason when that is over. */
  readonly wait: (share: Share, isBackground: boolean, deadline: Deadline) => Promise<WorkerProcess>
  /** To be called when the job begins; what is returned takes the child back, as it ended. */
  readonly giveBack: (
    child: WorkerProcess,
    share: Share,
    isBackground: boolean,
  ) => (ending: Ending | Promise<Ending>) => Promise<void>
  readonly refusal: Admission['refusal']
  /** Background jobs that are ended when somebody waits for their workers; the newest first. */
  readonly preemptible: Set<AbortController>
  /** Jobs that somebody waits for and no worker has begun. */
  readonly depth: () => number
  readonly busy: () => number
  /** What other nodes are told, and what is heard of them: they are fair together. */
  readonly takeLoad: () => NodeLoad
  readonly hear: (node: string, load: NodeLoad) => void
  readonly close: () => Promise<void>
}

interface Waiting {
  readonly account: string
  readonly start: (child: WorkerProcess) => void
  readonly refuse: (reason: unknown) => void
}

/** ms of a core that starting a child costs: whoever has one killed rests for that too. */
const START_MS = 1_000

/** Estimated work of what somebody waits for and runs, and how fast it goes. */
const openLoad = () => {
  const pace = openPace()
  let runningCost = 0
  /** Counts a job that begins; what is returned counts its end. */
  const begin = ({ cost }: Share): (() => void) => {
    const since = performance.now()
    runningCost += cost
    return () => {
      runningCost -= cost
      pace.learn(cost, performance.now() - since)
    }
  }
  // Of what runs, half is done on average.
  return { begin, msFor: (cost: number) => pace.msFor(cost + runningCost / 2) }
}

/** A place in a queue, and the promise of a child; the place is left when the signal ends. */
const queueUp = (queue: FairQueue<Waiting>, share: Share, signal: AbortSignal): Promise<WorkerProcess> =>
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
    const waiting: Waiting = { account: share.account, start: settled(resolve), refuse: settled(reject) }
    if (signal.aborted) return leave()
    signal.addEventListener('abort', leave, { once: true })
    queue.add(waiting, share)
  })

/** Work that was begun by account, until somebody asks. */
const openTally = () => {
  let begun: Record<string, number> = {}
  return {
    count: ({ account, cost }: Share): void => {
      begun[account] = (begun[account] ?? 0) + cost
    },
    take: (): Readonly<Record<string, number>> => {
      const taken = begun
      begun = {}
      return taken
    },
  }
}

/** ms until background work that other nodes' requests hold back is looked at again. */
const LOOK_AGAIN_MS = 500

const refuseAll = (queue: FairQueue<Waiting>): void => {
  for (let one = queue.next(); one !== undefined; one = queue.next()) one.refuse(fail('SHUTTING_DOWN'))
}

/** Opens a scheduler; children are started when first needed. */
export const openScheduler = (settings: SchedulerSettings): Scheduler => {
  const { workers, queueLimit } = settings
  const children = openChildren(settings)
  const foreground = openFairQueue<Waiting>()
  const background = openFairQueue<Waiting>()
  const preemptible = new Set<AbortController>()
  const presence = openPresence(workers)
  const load = openLoad()
  const tally = openTally()
  const elsewhere = openElsewhere()
  let lookingAgain: NodeJS.Timeout | undefined
  let running = 0
  let closed = false
  const { isFull, refusal, overloaded } = admissionTo({
    workers,
    queueLimit,
    running: () => running,
    waiting: foreground.size,
    countOf: foreground.countOf,
    isModest: foreground.isModest,
    msAhead: (account) => load.msFor(foreground.costAhead(account)),
  })

  const begin = (waiting: Waiting): void => {
    try {
      waiting.start(children.take())
      running += 1
      presence.began(waiting.account)
    } catch (error) {
      waiting.refuse(error)
    }
  }
  /** What nobody waits for: it makes way for what somebody does, on all nodes together. */
  const nextInBackground = (): Waiting | undefined => {
    if (foreground.size() > 0 || background.size() === 0) return undefined
    if (!elsewhere.isBusy()) return background.next()
    clearTimeout(lookingAgain)
    lookingAgain = setTimeout(next, LOOK_AGAIN_MS).unref()
    return undefined
  }
  const next = (): void => {
    while (!closed && running < workers) {
      const waiting = foreground.next(presence.mayRun) ?? nextInBackground()
      if (waiting === undefined) {
        // What is held back for others' sake is looked at again when they have been away for a while.
        if (foreground.size() > 0) presence.later(next)
        return
      }
      begin(waiting)
    }
  }
  const preempt = (): void => {
    const [newest] = [...preemptible].reverse()
    newest?.abort(new Error('somebody waits for this worker'))
  }
  const wait: Scheduler['wait'] = async (share, isBackground, { signal }) => {
    if (closed) throw fail('SHUTTING_DOWN')
    if (!isBackground) presence.seen(share.account)
    if (isFull(share.account)) throw overloaded(share.account)
    const child = queueUp(isBackground ? background : foreground, share, signal)
    next()
    if (foreground.size() > 0) preempt()
    if (foreground.size() > queueLimit) foreground.evict()?.refuse(overloaded(share.account))
    return child
  }
  const giveBack: Scheduler['giveBack'] = (child, share, isBackground) => {
    const end = isBackground ? () => undefined : load.begin(share)
    const since = performance.now()
    if (!isBackground) tally.count(share)
    const recover = async (ending: Promise<Ending>): Promise<void> => {
      const extra = (await children.recover(child, ending)) ? START_MS : 0
      if (!isBackground) presence.left(share.account, performance.now() - since + extra)
    }
    return async (ending) => {
      end()
      if (ending instanceof Promise) await recover(ending)
      else children.putBack(child, ending)
      running -= 1
      presence.ended(share.account)
      next()
    }
  }
  const close = async (): Promise<void> => {
    closed = true
    clearTimeout(lookingAgain)
    presence.close()
    for (const queue of [foreground, background]) refuseAll(queue)
    await children.close()
  }
  const takeLoad = (): NodeLoad => ({ waiting: foreground.size(), begun: tally.take() })
  const hear: Scheduler['hear'] = (node, { waiting, begun }) => {
    elsewhere.hear(node, waiting)
    for (const [account, cost] of Object.entries(begun)) foreground.chargeElsewhere({ account, cost })
  }
  return { wait, giveBack, refusal, takeLoad, hear, close, preemptible, depth: foreground.size, busy: () => running }
}
