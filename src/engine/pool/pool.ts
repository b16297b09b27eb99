/**
 * A pool of child processes, each working on one image at a time.
 *
 * Ours and not a library's, because it must do four things together that neither tinypool 2 nor workerpool 10 does:
 * hand out ever better results while a job runs, kill a child and its own children (ffmpeg, gifsicle) when the deadline
 * passes or memory runs out, share workers fairly between accounts, and recycle children by count and by memory.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Deadline } from '../../core/deadline.ts'
import { fail } from '../../core/failure.ts'
import type { Information } from '../../core/information.ts'
import type { Made } from '../../core/outcome.ts'
import type { LastWord } from '../protocol.ts'
import type { Ending, WorkerProcess } from './child.ts'
import { type ChildrenSettings, openChildren } from './children.ts'
import { costOf } from './cost.ts'
import { type Cause, causeOf, failureAfter } from './death.ts'
import { openFairQueue, type Share } from './fair-queue.ts'
import { openPace } from './pace.ts'
import { openPresence } from './presence.ts'
import { informationOf, madeOf, type PoolJob, type PoolReport, runInChild } from './run-in-child.ts'

export interface PoolSettings extends ChildrenSettings {
  /** Jobs that may wait; one more is refused with OVERLOADED. */
  readonly queueLimit: number
  /** Resident bytes, with everything that it started, at which a child is killed during a job. */
  readonly memoryLimit: number
  /** Called with what a child finds missing in the installation; each child tells it once. */
  readonly onNotice?: (message: string) => void
}

/** Whose job it is, and what is heard of it. */
export interface PoolRequest extends PoolReport {
  /** Accounts share the workers equally. */
  readonly account: string
  /** Nobody waits for it: it runs when no other job wants the worker. */
  readonly background?: boolean
}

export interface Pool {
  /**
   * Runs a job in a child. When the deadline ends first the child is stopped and the promise rejects with
   * `deadline.signal.reason`; what was offered by then is the caller's to use.
   * Rejects with a Failure for what is wrong with the image: SOURCE_DAMAGED also when two children in a row crashed at it,
   * IMAGE_TOO_COMPLEX when it took too much memory; with WORKERS_LOST when children died of something else.
   * Rejects with an Error for a fault of ours.
   */
  readonly run: (job: PoolJob, deadline: Deadline, request: PoolRequest) => Promise<Made>
  /** Tells what an image is (§9.1), in a child; rejects as `run` does. */
  readonly inspect: (job: PoolJob, deadline: Deadline, request: PoolRequest) => Promise<Information>
  readonly depth: () => number
  /**
   * Whether one more job of this account, which has so many ms, is refused: undefined when it is not, else after how many
   * seconds it may be worth another try. Refused is what finds the queue full, and what would wait for all of its time.
   */
  readonly refusal: (account: string, ms: number) => number | undefined
  readonly busy: () => number
  /** Ends all children; running jobs reject. */
  readonly close: () => Promise<void>
}

interface Waiting {
  readonly account: string
  readonly start: (child: WorkerProcess) => void
  readonly refuse: (reason: unknown) => void
}

/** So many jobs of an account may wait however long it takes: clients send sixteen images at once (§7). */
const ALWAYS_ACCEPTED = 16
/** Seconds until another try is worth while: at least and at most, and while nothing is known of the pace. */
const AGAIN = { least: 1, most: 300, unknown: 5 }

const secondsOf = (ms: number): number =>
  ms <= 0 ? AGAIN.unknown : Math.min(AGAIN.most, Math.max(AGAIN.least, Math.ceil(ms / 1000)))

/** Work in megapixels of JPEG that starting a child costs: whoever has one killed pays for it. */
const KILL_COST = 5

/** Waits for children, first those that somebody waits for. */
const openTurns = (settings: PoolSettings) => {
  const children = openChildren(settings)
  const foreground = openFairQueue<Waiting>()
  const background = openFairQueue<Waiting>()
  const preemptible = new Set<AbortController>()
  const pace = openPace()
  const presence = openPresence(settings.workers)
  let running = 0
  /** Estimated work of what somebody waits for and runs. */
  let runningCost = 0
  let closed = false

  const isFull = (account: string): boolean =>
    running >= settings.workers && foreground.size() >= settings.queueLimit && !foreground.isModest(account)
  /** Ms until one more job of this account would be begun; of what runs, half is done on average. */
  const waitOf = (account: string): number =>
    running < settings.workers && foreground.size() === 0
      ? 0
      : pace.msFor(foreground.costAhead(account) + runningCost / 2) / Math.max(1, settings.workers)
  const refusal: Pool['refusal'] = (account, ms) => {
    const wait = waitOf(account)
    // By then half of what is before it has been served, and there is room.
    if (isFull(account)) return secondsOf(wait / 2)
    const isTooLong = wait > ms && foreground.countOf(account) >= ALWAYS_ACCEPTED
    return isTooLong ? secondsOf(wait - ms) : undefined
  }
  const overloaded = (account: string) => fail('OVERLOADED', secondsOf(waitOf(account) / 2))
  const next = (): void => {
    while (!closed && running < settings.workers) {
      const waiting = foreground.next(presence.mayRun) ?? (foreground.size() === 0 ? background.next() : undefined)
      if (waiting === undefined) {
        // What is held back for others' sake is looked at again when they have been away for a while.
        if (foreground.size() > 0) presence.later(next)
        return
      }
      try {
        waiting.start(children.take())
        running += 1
        presence.began(waiting.account)
      } catch (error) {
        waiting.refuse(error)
      }
    }
  }
  const free = ({ account }: Share): void => {
    running -= 1
    presence.ended(account)
    next()
  }
  /** Takes the worker from what nobody waits for. */
  const preempt = (): void => {
    const [newest] = [...preemptible].reverse()
    newest?.abort(new Error('somebody waits for this worker'))
  }
  const wait = (share: Share, isBackground: boolean, { signal }: Deadline): Promise<WorkerProcess> => {
    const queue = isBackground ? background : foreground
    if (closed) return Promise.reject(fail('SHUTTING_DOWN'))
    if (!isBackground) presence.seen(share.account)
    if (isFull(share.account)) return Promise.reject(overloaded(share.account))
    return new Promise((resolve, reject) => {
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
      next()
      if (foreground.size() > 0) preempt()
      if (foreground.size() > settings.queueLimit) foreground.evict()?.refuse(overloaded(share.account))
    })
  }
  /** Counts a job that begins; what is returned counts its end. */
  const begin = ({ cost }: Share, isBackground: boolean): (() => void) => {
    if (isBackground) return () => undefined
    const since = performance.now()
    runningCost += cost
    return () => {
      runningCost -= cost
      pace.learn(cost, performance.now() - since)
    }
  }
  const giveBack = (child: WorkerProcess, share: Share, isBackground: boolean) => {
    const end = begin(share, isBackground)
    return async (ending: Ending | Promise<Ending>): Promise<void> => {
      end()
      if (!(ending instanceof Promise)) children.putBack(child, ending)
      else if (await children.recover(child, ending)) foreground.charge({ ...share, cost: KILL_COST })
      free(share)
    }
  }
  const close = async (): Promise<void> => {
    closed = true
    presence.close()
    for (const queue of [foreground, background])
      for (let one = queue.next(); one !== undefined; one = queue.next()) one.refuse(fail('SHUTTING_DOWN'))
    await children.close()
  }
  return { wait, giveBack, refusal, close, preemptible, depth: foreground.size, busy: () => running }
}

/** Each try has a directory of its own: what an earlier one offered stays as it was. */
const jobFor = async (job: PoolJob, deaths: number): Promise<PoolJob> => {
  if (deaths === 0) return job
  const directory = join(job.directory, `again-${deaths}`)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  return { ...job, directory }
}

/** Opens a pool; children are started when first needed and then kept. */
export const openPool = (settings: PoolSettings): Pool => {
  const { memoryLimit, onNotice } = settings
  const turns = openTurns(settings)

  const runAs = async <Result>(
    { job, read }: { readonly job: PoolJob; readonly read: (end: LastWord, job: PoolJob) => Result },
    deadline: Deadline,
    request: PoolRequest,
  ): Promise<Result> => {
    const share = { account: request.account, cost: costOf(job) }
    const deaths: Cause[] = []
    const preempted = new AbortController()
    for (;;) {
      const ownJob = await jobFor(job, deaths.length)
      const since = performance.now()
      const child = await turns.wait(share, request.background === true, deadline)
      request.queued?.(performance.now() - since)
      const giveBack = turns.giveBack(child, share, request.background === true)
      const signal = AbortSignal.any([deadline.signal, preempted.signal])
      if (request.background === true) turns.preemptible.add(preempted)
      const tried = await runInChild(child, {
        job: ownJob,
        deadline: { ...deadline, signal },
        report: request,
        memoryLimit,
        onNotice,
        giveBack,
        read,
      }).finally(() => turns.preemptible.delete(preempted))
      if (tried.kind === 'done') return tried.result
      deaths.push(causeOf(tried.death, memoryLimit))
      const failure = failureAfter(deaths, memoryLimit)
      if (failure !== undefined) throw Object.assign(failure, { cause: tried.death })
    }
  }

  const { depth, refusal, busy, close } = turns
  const run: Pool['run'] = (job, deadline, request) => runAs({ job, read: madeOf }, deadline, request)
  const inspect: Pool['inspect'] = (job, deadline, request) =>
    runAs({ job: { ...job, inspect: true }, read: informationOf }, deadline, request)
  return { run, inspect, depth, refusal, busy, close }
}
