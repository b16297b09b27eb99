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
import type { Made } from '../../core/outcome.ts'
import type { Ending, WorkerProcess } from './child.ts'
import { type ChildrenSettings, openChildren } from './children.ts'
import { costOf } from './cost.ts'
import { type Cause, causeOf, failureAfter } from './death.ts'
import { openFairQueue, type Share } from './fair-queue.ts'
import { type PoolJob, type PoolReport, runInChild } from './run-in-child.ts'

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
  readonly depth: () => number
  /** One more job of this account would be refused now. */
  readonly isFull: (account: string) => boolean
  readonly busy: () => number
  /** Ends all children; running jobs reject. */
  readonly close: () => Promise<void>
}

interface Waiting {
  readonly start: (child: WorkerProcess) => void
  readonly refuse: (reason: unknown) => void
}

/** Work in megapixels of JPEG that starting a child costs: whoever has one killed pays for it. */
const KILL_COST = 5

/** Waits for children, first those that somebody waits for. */
const openTurns = (settings: PoolSettings) => {
  const children = openChildren(settings)
  const foreground = openFairQueue<Waiting>()
  const background = openFairQueue<Waiting>()
  const preemptible = new Set<AbortController>()
  let running = 0
  let closed = false

  const isFull = (account: string): boolean =>
    running >= settings.workers && foreground.size() >= settings.queueLimit && !foreground.isModest(account)
  const next = (): void => {
    while (!closed && running < settings.workers) {
      const waiting = foreground.next() ?? background.next()
      if (waiting === undefined) return
      try {
        waiting.start(children.take())
        running += 1
      } catch (error) {
        waiting.refuse(error)
      }
    }
  }
  const free = (): void => {
    running -= 1
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
    if (isFull(share.account)) return Promise.reject(fail('OVERLOADED'))
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
      const waiting: Waiting = { start: settled(resolve), refuse: settled(reject) }
      if (signal.aborted) return leave()
      signal.addEventListener('abort', leave, { once: true })
      queue.add(waiting, share)
      next()
      if (foreground.size() > 0) preempt()
      if (foreground.size() > settings.queueLimit) foreground.evict()?.refuse(fail('OVERLOADED'))
    })
  }
  const giveBack =
    (child: WorkerProcess, share: Share) =>
    async (ending: Ending | Promise<Ending>): Promise<void> => {
      if (!(ending instanceof Promise)) children.putBack(child, ending)
      else if (await children.recover(child, ending)) foreground.charge({ ...share, cost: KILL_COST })
      free()
    }
  const close = async (): Promise<void> => {
    closed = true
    for (const queue of [foreground, background])
      for (let one = queue.next(); one !== undefined; one = queue.next()) one.refuse(fail('SHUTTING_DOWN'))
    await children.close()
  }
  return { wait, giveBack, isFull, close, preemptible, depth: foreground.size, busy: () => running }
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

  const run: Pool['run'] = async (job, deadline, request) => {
    const share = { account: request.account, cost: costOf(job) }
    const deaths: Cause[] = []
    const preempted = new AbortController()
    for (;;) {
      const ownJob = await jobFor(job, deaths.length)
      const since = performance.now()
      const child = await turns.wait(share, request.background === true, deadline)
      request.queued?.(performance.now() - since)
      const giveBack = turns.giveBack(child, share)
      const signal = AbortSignal.any([deadline.signal, preempted.signal])
      if (request.background === true) turns.preemptible.add(preempted)
      const tried = await runInChild(child, {
        job: ownJob,
        deadline: { ...deadline, signal },
        report: request,
        memoryLimit,
        onNotice,
        giveBack,
      }).finally(() => turns.preemptible.delete(preempted))
      if (tried.kind === 'made') return tried.made
      deaths.push(causeOf(tried.death, memoryLimit))
      const failure = failureAfter(deaths, memoryLimit)
      if (failure !== undefined) throw Object.assign(failure, { cause: tried.death })
    }
  }

  const { depth, isFull, busy, close } = turns
  return { run, depth, isFull, busy, close }
}
