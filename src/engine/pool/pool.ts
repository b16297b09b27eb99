/**
 * A pool of child processes, each working on one image at a time.
 *
 * Ours, because neither tinypool 2 nor workerpool 10 does four things together. It returns ever better results while a job runs.
 * It kills a child and its own children (ffmpeg, gifsicle) when the deadline passes or memory runs out. It shares workers fairly between
 * accounts. It recycles children by count and by memory.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Deadline } from '../../core/deadline.ts'
import type { Information } from '../../core/information.ts'
import type { NodeLoad } from '../../core/node-load.ts'
import type { ResultFile } from '../../core/outcome.ts'
import type { LastWord } from '../protocol.ts'
import { type Cause, causeOf, failureAfter } from './process/child-exit.ts'
import { informationOf, type PoolJob, type PoolReport, resultOf, runInChild } from './process/run-in-child.ts'
import { costOf } from './queue/cost.ts'
import { openScheduler, type SchedulerSettings } from './queue/scheduler.ts'

export interface PoolSettings extends SchedulerSettings {
  /** Resident bytes, with everything that it started, at which a child is killed during a job. */
  readonly memoryLimit: number
  /** Called with what a child finds missing in the installation; each child reports it once. */
  readonly onNotice?: (message: string) => void
}

/** The account of a job, and its callbacks. */
export interface PoolRequest extends PoolReport {
  /** Accounts share the workers equally. */
  readonly account: string
  /** No client waits for it: it runs when no other job needs the worker. */
  readonly background?: boolean
}

export interface Pool {
  /**
   * Runs a job in a child. When the deadline ends first, the child is stopped and the promise rejects with
   * `deadline.signal.reason`; earlier offers remain usable.
   * Rejects with a Failure for errors of the image. SOURCE_DAMAGED also means that two children in a row crashed on it, and
   * IMAGE_TOO_COMPLEX that it took too much memory. WORKERS_LOST: children died for other reasons.
   * Rejects with an Error for internal errors.
   */
  readonly run: (job: PoolJob, deadline: Deadline, request: PoolRequest) => Promise<ResultFile>
  /** Reads the information about an image (§9.1) in a child; rejects as `run` does. */
  readonly inspect: (job: PoolJob, deadline: Deadline, request: PoolRequest) => Promise<Information>
  readonly depth: () => number
  /**
   * Whether one more job of this account with this much time is refused: undefined if not, otherwise the seconds after
   * which to try again. Jobs are refused when the queue is full, and when they would wait for all of their time.
   */
  readonly refusal: (account: string, ms: number) => number | undefined
  readonly busy: () => number
  /** The load since the last call, for other nodes; and the load received from them. */
  readonly takeLoad: () => NodeLoad
  readonly receiveLoad: (node: string, load: NodeLoad) => void
  /** Ends all children; running jobs reject. */
  readonly close: () => Promise<void>
}

/** Returns the job with a directory of its own for each run, so that offers of earlier runs stay unchanged. */
const jobFor = async (job: PoolJob, childExits: number): Promise<PoolJob> => {
  if (childExits === 0) return job
  const directory = join(job.directory, `again-${childExits}`)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  return { ...job, directory }
}

/** Opens a pool; children are started when first needed and then kept. */
export const openPool = (settings: PoolSettings): Pool => {
  const { memoryLimit, onNotice } = settings
  const scheduler = openScheduler(settings)

  const runAs = async <Result>(
    { job, read }: { readonly job: PoolJob; readonly read: (end: LastWord, job: PoolJob) => Result },
    deadline: Deadline,
    request: PoolRequest,
  ): Promise<Result> => {
    const jobCost = { account: request.account, cost: costOf(job) }
    const childExits: Cause[] = []
    const preempted = new AbortController()
    for (;;) {
      const ownJob = await jobFor(job, childExits.length)
      const since = performance.now()
      const child = await scheduler.wait(jobCost, request.background === true, deadline)
      request.queued?.(performance.now() - since)
      const giveBack = scheduler.giveBack(child, jobCost, request.background === true ? undefined : deadline)
      const signal = AbortSignal.any([deadline.signal, preempted.signal])
      if (request.background === true) scheduler.preemptible.add(preempted)
      const end = await runInChild(child, {
        job: ownJob,
        deadline: { ...deadline, signal },
        report: request,
        memoryLimit,
        onNotice,
        giveBack,
        read,
      }).finally(() => scheduler.preemptible.delete(preempted))
      if (end.kind === 'done') return end.result
      childExits.push(causeOf(end.childExit, memoryLimit))
      const failure = failureAfter(childExits, memoryLimit)
      if (failure !== undefined) throw Object.assign(failure, { cause: end.childExit })
    }
  }

  const { depth, refusal, busy, takeLoad, receiveLoad, close } = scheduler
  const run: Pool['run'] = (job, deadline, request) => runAs({ job, read: resultOf }, deadline, request)
  const inspect: Pool['inspect'] = (job, deadline, request) =>
    runAs({ job: { ...job, inspect: true }, read: informationOf }, deadline, request)
  return { run, inspect, depth, refusal, busy, takeLoad, receiveLoad, close }
}
