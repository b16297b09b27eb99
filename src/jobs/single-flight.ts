import { randomUUID } from 'node:crypto'
import { copyFile, link, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Deadline } from '../core/deadline.ts'
import { Failure } from '../core/failure.ts'
import type { Made, Stages } from '../core/outcome.ts'
import { readPlainFile } from '../core/plain-file.ts'
import { OVER, raceSignal } from '../core/race.ts'
import { removeDirectory } from '../core/remove.ts'

/** A finished or best-so-far result with its bytes in memory. */
export interface JobResult {
  readonly made: Made
  readonly body: Uint8Array
  readonly stages: Stages
}

/** What a job lends to the work that it runs. */
export interface JobContext {
  /** Path of the source, kept for as long as the work goes on. */
  readonly source: string
  /** Scratch directory, removed at the end. */
  readonly directory: string
  /** Ends with the deadline of whoever started the work, and when nobody waits any more. */
  readonly deadline: Deadline
  readonly offer: (made: Made) => void
  readonly stage: (name: string, ms: number) => void
  /** What to do with the final result, once, before the job counts as over: whoever asks until then still joins it. */
  readonly keep: (store: (result: JobResult) => Promise<unknown>) => void
}

export interface SingleFlight {
  /**
   * Works on `key` once however many ask at the same time (single job). Resolves with the final result, or at the
   * caller's own deadline with the best so far, or with undefined when there is nothing yet. Rejects with the work's failure.
   */
  readonly run: (
    key: string,
    source: string,
    deadline: Deadline,
    work: (context: JobContext) => Promise<Made>,
  ) => Promise<JobResult | undefined>
  readonly underWay: () => number
  /** Age in ms of the work that has been under way for longest; 0 when there is none. */
  readonly oldestMs: () => number
}

interface RunningJob {
  readonly done: Promise<JobResult | undefined>
  readonly best: () => Promise<JobResult | undefined>
  readonly abort: AbortController
  readonly starter: Deadline
  readonly since: number
  waiting: number
}

/** Less time than this is not worth starting over for, when someone else's shorter deadline cut the work short. */
const WORTH_ANOTHER_TRY_MS = 300

/** A child ends a little before its deadline: that it had nothing by then is the same as running out of time (§5.2). */
const endsInTime = (error: unknown): boolean => error instanceof Failure && error.code === 'WORK_TOO_SLOW'

const linkOrCopy = (from: string, to: string): Promise<void> => link(from, to).catch(() => copyFile(from, to))

/** Single-flight work in scratch directories under `directory`. */
export const openSingleFlight = (directory: string): SingleFlight => {
  const running = new Map<string, RunningJob>()

  const start = (
    key: string,
    source: string,
    deadline: Deadline,
    work: (context: JobContext) => Promise<Made>,
  ): RunningJob => {
    const scratch = join(directory, `job-${randomUUID()}`)
    const own = join(scratch, 'source')
    const abort = new AbortController()
    const signal = AbortSignal.any([deadline.signal, abort.signal])
    const stages: Record<string, number> = {}
    let offered: Made | undefined
    let store: ((result: JobResult) => Promise<unknown>) | undefined
    const finish = async (made: Made): Promise<JobResult> => ({
      made,
      body: await readPlainFile(made.path, { bytes: made.bytes, links: made.path === own ? 2 : 1 }),
      stages: { ...stages },
    })
    const best = async (): Promise<JobResult | undefined> =>
      offered === undefined ? undefined : finish({ ...offered, cutShort: true }).catch(() => undefined)
    const run = async (): Promise<JobResult | undefined> => {
      try {
        await mkdir(scratch, { recursive: true, mode: 0o700 })
        await linkOrCopy(source, own)
        const made = await work({
          source: own,
          directory: scratch,
          deadline: { remaining: deadline.remaining, signal },
          offer: (better) => {
            offered = better
          },
          stage: (name, ms) => {
            stages[name] = (stages[name] ?? 0) + ms
          },
          keep: (given) => {
            store = given
          },
        })
        const result = await finish(made)
        await store?.(result)
        return result
      } catch (error) {
        if (!signal.aborted && !endsInTime(error)) throw error
        return await best()
      } finally {
        if (running.get(key) === job) running.delete(key)
        await removeDirectory(scratch)
      }
    }
    const job: RunningJob = {
      done: Promise.resolve().then(run),
      best,
      abort,
      starter: deadline,
      since: performance.now(),
      waiting: 0,
    }
    job.done.catch(() => undefined)
    running.set(key, job)
    return job
  }

  const wait = async (job: RunningJob, deadline: Deadline): Promise<JobResult | undefined> => {
    job.waiting += 1
    try {
      const first = await raceSignal(job.done, deadline.signal)
      if (first !== OVER) return first
      // Whoever started the work ends it with this very deadline, so its best comes out by itself.
      return job.starter === deadline ? await job.done : await job.best()
    } finally {
      job.waiting -= 1
      if (job.waiting === 0) job.abort.abort(new Error('nobody waits for this work'))
    }
  }

  const run: SingleFlight['run'] = async (key, source, deadline, work) => {
    const joined = running.get(key)
    const result = await wait(joined ?? start(key, source, deadline, work), deadline)
    const cutByAnother = joined !== undefined && (result === undefined || result.made.cutShort === true)
    return cutByAnother && deadline.remaining() > WORTH_ANOTHER_TRY_MS ? run(key, source, deadline, work) : result
  }

  return {
    run,
    underWay: () => running.size,
    oldestMs: () => Math.max(0, ...[...running.values()].map(({ since }) => performance.now() - since)),
  }
}
