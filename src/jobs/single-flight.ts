import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Deadline, deadlineIn } from '../core/deadline.ts'
import { Failure } from '../core/failure.ts'
import { MIN_STEP_MS } from '../core/intervals.ts'
import type { ResultFile, Stages } from '../core/outcome.ts'
import { linkOrCopy } from '../support/link-or-copy.ts'
import { readPlainFile } from '../support/plain-file.ts'
import { OVER, raceSignal } from '../support/race.ts'
import { removeDirectory } from '../support/remove.ts'
import type { ImageAnswer } from './answer.ts'
import { etagOf } from './recall.ts'

/** A final or partial result with its bytes in memory. */
export interface JobResult {
  readonly file: ResultFile
  readonly body: Uint8Array
  /** Of the body: digested once, however many callers share the work. */
  readonly etag: string
  readonly stages: Stages
}

/** A result that another caller stored in the meantime. */
export interface FoundResult {
  readonly found: ImageAnswer
}

export type JobOutcome = JobResult | FoundResult

type Work = (context: JobContext) => Promise<ResultFile | FoundResult>

/** Resources and callbacks for the work of a job. */
export interface JobContext {
  /** Path of the source. It exists until the work ends. */
  readonly source: string
  /** Scratch directory, removed at the end. */
  readonly directory: string
  /** Ends with the deadline of the caller that started the work, and when no caller waits. */
  readonly deadline: Deadline
  readonly offer: (file: ResultFile) => void
  readonly stage: (name: string, ms: number) => void
  /** Registers a function for the final result. It runs once before the job ends, so that callers until then still join. */
  readonly keep: (store: (result: JobResult) => Promise<unknown>) => void
  /** Disposes of a resource when the job has ended and its result is kept. */
  readonly hold: (resource: AsyncDisposable) => void
}

export interface SingleFlight {
  /**
   * Runs work on `key` once for all concurrent callers. Resolves with the final result, or at the caller's own deadline with the best one
   * so far, or undefined without any. Rejects when the work fails.
   */
  readonly run: (key: string, source: string, deadline: Deadline, work: Work) => Promise<JobOutcome | undefined>
  readonly underWay: () => number
  /** Resolves when all work has ended and its scratch directories are removed. */
  readonly idle: () => Promise<void>
  /** Age in ms of the oldest running work, or 0. */
  readonly oldestMs: () => number
}

interface RunningJob {
  readonly done: Promise<JobOutcome | undefined>
  readonly best: () => Promise<JobResult | undefined>
  readonly abort: AbortController
  readonly starter: Deadline
  readonly since: number
  waiting: number
  /** Whether its outcome is known. */
  over: boolean
}

/** ms by which a timer may fire early. */
const TIMER_SLACK_MS = 2

/** Whether a child ended without a result because of its deadline. That counts as running out of time (§5.2). */
const endsInTime = (error: unknown): boolean => error instanceof Failure && error.code === 'WORK_TOO_SLOW'

interface Run {
  readonly directory: string
  /** Path of the source. */
  readonly source: string
  readonly deadline: Deadline
  readonly work: Work
  /** Called as soon as the outcome is known. No caller joins afterwards. */
  readonly over: () => void
}

/** Creates the state that the work reports to. */
const openProgress = () => {
  const stages: Record<string, number> = {}
  const progress = {
    stages,
    offered: undefined as ResultFile | undefined,
    store: undefined as ((result: JobResult) => Promise<unknown>) | undefined,
    held: new AsyncDisposableStack(),
  }
  const context: Omit<JobContext, 'source' | 'directory' | 'deadline'> = {
    offer: (better) => {
      progress.offered = better
    },
    stage: (name, ms) => {
      stages[name] = (stages[name] ?? 0) + ms
    },
    keep: (given) => {
      progress.store = given
    },
    hold: (resource) => void progress.held.use(resource),
  }
  return { progress, context }
}

/** Runs work in its own scratch directory, which is removed at the end. Until then `best` returns the best result so far. */
const runInScratch = ({ directory, source, deadline, work, over }: Run): Pick<RunningJob, 'done' | 'best'> => {
  const scratch = join(directory, `job-${randomUUID()}`)
  const kept = join(scratch, 'source')
  const { progress, context } = openProgress()
  const finish = async (file: ResultFile): Promise<JobResult> => {
    const body = await readPlainFile(file.path, { bytes: file.bytes, links: file.path === kept ? 2 : 1 })
    return { file, body, etag: etagOf(body), stages: { ...progress.stages } }
  }
  const best = async (): Promise<JobResult | undefined> =>
    progress.offered && finish({ ...progress.offered, cutShort: true }).catch(() => undefined)
  const run = async (): Promise<JobOutcome | undefined> => {
    try {
      await mkdir(scratch, { recursive: true, mode: 0o700 })
      await linkOrCopy(source, kept)
      const outcome = await work({ source: kept, directory: scratch, deadline, ...context })
      if ('found' in outcome) return outcome
      const result = await finish(outcome)
      await progress.store?.(result)
      return result
    } catch (error) {
      if (!deadline.signal.aborted && !endsInTime(error)) throw error
      return await best()
    } finally {
      over()
      // No response waits for this.
      void progress.held.disposeAsync().catch(() => undefined)
      await removeDirectory(scratch)
    }
  }
  return { done: Promise.resolve().then(run), best }
}

/** Opens single-flight work with scratch directories under `directory`. */
export const openSingleFlight = (directory: string): SingleFlight => {
  const running = new Map<string, RunningJob>()
  const ending = new Set<Promise<unknown>>()

  const start = (key: string, source: string, deadline: Deadline, work: Work): RunningJob => {
    const abort = new AbortController()
    // The work has the starter's time but not its client's signal: others may wait after that client has left.
    const own = deadlineIn(deadline.remaining(), abort.signal)
    const over = (): void => {
      job.over = true
      if (running.get(key) === job) running.delete(key)
    }
    const job: RunningJob = {
      ...runInScratch({ directory, source, work, deadline: own, over }),
      abort,
      starter: deadline,
      since: performance.now(),
      waiting: 0,
      over: false,
    }
    // Callers receive errors from `done`.
    const ended: Promise<void> = job.done.catch(() => undefined).then(() => void ending.delete(ended))
    ending.add(ended)
    running.set(key, job)
    return job
  }

  const wait = async (job: RunningJob, deadline: Deadline): Promise<JobOutcome | undefined> => {
    job.waiting += 1
    try {
      const first = await raceSignal(job.done, deadline.signal)
      if (first !== OVER) return first
      const isTimeOver = job.starter === deadline && deadline.remaining() < TIMER_SLACK_MS
      if (!isTimeOver) return await job.best()
      // The work has the starter's time. Its best result is returned as it ends.
      job.abort.abort(new Error('the time for this work is over'))
      return await job.done
    } finally {
      job.waiting -= 1
      if (job.waiting === 0 && !job.over) job.abort.abort(new Error('no request waits for this work'))
    }
  }

  const run: SingleFlight['run'] = async (key, source, deadline, work) => {
    const joined = running.get(key)
    const result = await wait(joined ?? start(key, source, deadline, work), deadline)
    const isWhole = result !== undefined && ('found' in result || result.file.cutShort !== true)
    const cutByAnother = joined !== undefined && !isWhole && !deadline.signal.aborted
    return cutByAnother && deadline.remaining() > MIN_STEP_MS ? run(key, source, deadline, work) : result
  }

  return {
    run,
    underWay: () => running.size,
    idle: async () => void (await Promise.all(ending)),
    oldestMs: () => Math.max(0, ...[...running.values()].map(({ since }) => performance.now() - since)),
  }
}
