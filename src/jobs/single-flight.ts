import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Deadline, deadlineIn } from '../core/deadline.ts'
import { Failure } from '../core/failure.ts'
import { linkOrCopy } from '../core/link-or-copy.ts'
import type { Made, Stages } from '../core/outcome.ts'
import { readPlainFile } from '../core/plain-file.ts'
import { OVER, raceSignal } from '../core/race.ts'
import { removeDirectory } from '../core/remove.ts'
import type { ImageAnswer } from './answer.ts'

/** A finished or best-so-far result with its bytes in memory. */
export interface JobResult {
  readonly made: Made
  readonly body: Uint8Array
  readonly stages: Stages
}

/** A result that somebody else had made and stored meanwhile. */
export interface FoundResult {
  readonly found: ImageAnswer
}

export type JobOutcome = JobResult | FoundResult

type Work = (context: JobContext) => Promise<Made | FoundResult>

/** What a job lends to the work that it runs. */
export interface JobContext {
  /** Path of the source, kept for as long as the work goes on. */
  readonly source: string
  /** Scratch directory, removed at the end. */
  readonly directory: string
  /** Ends with the time of whoever started the work, and when nobody waits any more. */
  readonly deadline: Deadline
  readonly offer: (made: Made) => void
  readonly stage: (name: string, ms: number) => void
  /** What to do with the final result, once, before the job counts as over: whoever asks until then still joins it. */
  readonly keep: (store: (result: JobResult) => Promise<unknown>) => void
  /** Holds something until the job is over and its result kept. */
  readonly hold: (resource: AsyncDisposable) => void
}

export interface SingleFlight {
  /**
   * Works on `key` once however many ask at the same time (single job). Resolves with the final result, or at the
   * caller's own deadline with the best so far, or with undefined when there is nothing yet. Rejects with the work's failure.
   */
  readonly run: (key: string, source: string, deadline: Deadline, work: Work) => Promise<JobOutcome | undefined>
  readonly underWay: () => number
  /** Resolves when all work that has begun is over and its scratch directories are gone. */
  readonly idle: () => Promise<void>
  /** Age in ms of the work that has been under way for longest; 0 when there is none. */
  readonly oldestMs: () => number
}

interface RunningJob {
  readonly done: Promise<JobOutcome | undefined>
  readonly best: () => Promise<JobResult | undefined>
  readonly abort: AbortController
  readonly starter: Deadline
  readonly since: number
  waiting: number
  /** Its outcome is known. */
  over: boolean
}

/** Less time than this is not worth starting over for, when someone else's shorter deadline cut the work short. */
const WORTH_ANOTHER_TRY_MS = 300

/** A timer may fire so much before its time. */
const TIMER_MS = 2

/** A child ends a little before its deadline: that it had nothing by then is the same as running out of time (§5.2). */
const endsInTime = (error: unknown): boolean => error instanceof Failure && error.code === 'WORK_TOO_SLOW'

interface Run {
  readonly directory: string
  /** Path of the source. */
  readonly source: string
  readonly deadline: Deadline
  readonly work: Work
  /** Called as soon as the outcome is known: from then on nobody joins. */
  readonly over: () => void
}

/** What the work has told by now. */
const openProgress = () => {
  const stages: Record<string, number> = {}
  const progress = {
    stages,
    offered: undefined as Made | undefined,
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

/** Runs work in a scratch directory of its own, which goes when the work ends; until then the best so far can be had. */
const runInScratch = ({ directory, source, deadline, work, over }: Run): Pick<RunningJob, 'done' | 'best'> => {
  const scratch = join(directory, `job-${randomUUID()}`)
  const kept = join(scratch, 'source')
  const { progress, context } = openProgress()
  const finish = async (made: Made): Promise<JobResult> => ({
    made,
    body: await readPlainFile(made.path, { bytes: made.bytes, links: made.path === kept ? 2 : 1 }),
    stages: { ...progress.stages },
  })
  const best = async (): Promise<JobResult | undefined> =>
    progress.offered && finish({ ...progress.offered, cutShort: true }).catch(() => undefined)
  const run = async (): Promise<JobOutcome | undefined> => {
    try {
      await mkdir(scratch, { recursive: true, mode: 0o700 })
      await linkOrCopy(source, kept)
      const made = await work({ source: kept, directory: scratch, deadline, ...context })
      if ('found' in made) return made
      const result = await finish(made)
      await progress.store?.(result)
      return result
    } catch (error) {
      if (!deadline.signal.aborted && !endsInTime(error)) throw error
      return await best()
    } finally {
      over()
      // Nobody's answer waits for it.
      void progress.held.disposeAsync().catch(() => undefined)
      await removeDirectory(scratch)
    }
  }
  return { done: Promise.resolve().then(run), best }
}

/** Single-flight work in scratch directories under `directory`. */
export const openSingleFlight = (directory: string): SingleFlight => {
  const running = new Map<string, RunningJob>()
  const ending = new Set<Promise<unknown>>()

  const start = (key: string, source: string, deadline: Deadline, work: Work): RunningJob => {
    const abort = new AbortController()
    // Its time, but not its client: the client may go, and others still wait.
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
    // Whoever waits hears what went wrong with it.
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
      const isTimeOver = job.starter === deadline && deadline.remaining() < TIMER_MS
      if (!isTimeOver) return await job.best()
      // The work has the time of whoever started it: its best comes out as it ends.
      job.abort.abort(new Error('the time for this work is over'))
      return await job.done
    } finally {
      job.waiting -= 1
      if (job.waiting === 0 && !job.over) job.abort.abort(new Error('nobody waits for this work'))
    }
  }

  const run: SingleFlight['run'] = async (key, source, deadline, work) => {
    const joined = running.get(key)
    const result = await wait(joined ?? start(key, source, deadline, work), deadline)
    const isWhole = result !== undefined && ('found' in result || result.made.cutShort !== true)
    const cutByAnother = joined !== undefined && !isWhole && !deadline.signal.aborted
    return cutByAnother && deadline.remaining() > WORTH_ANOTHER_TRY_MS ? run(key, source, deadline, work) : result
  }

  return {
    run,
    underWay: () => running.size,
    idle: async () => void (await Promise.all(ending)),
    oldestMs: () => Math.max(0, ...[...running.values()].map(({ since }) => performance.now() - since)),
  }
}
