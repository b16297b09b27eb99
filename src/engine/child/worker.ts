/** The program of a child process. It takes one job at a time over IPC, so that a crash or a hang costs one request. */

import { existsSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { type Deadline, deadlineIn } from '../../core/deadline.ts'
import { Failure } from '../../core/failure.ts'
import { LOOK_MS, UPDATE_MS } from '../../core/intervals.ts'
import type { Job, Progress } from '../../core/outcome.ts'
import type { Plan } from '../../plan/plan.ts'
import { exhaustion } from '../../support/exhausted.ts'
import '../../support/heap-growth.ts'
import { isStillDrawing } from '../../svg/cpu-budget.ts'
import { type End, type LastWord, STOP_FILE, type ToChild, type ToParent, WATCH_PARENT } from '../protocol.ts'
import { inspect } from './inspect.ts'
import { optimise } from './optimise.ts'
import type { Report } from './report.ts'
import { watchParent } from './watch-parent.ts'

const send = (message: ToParent): void => {
  // A parent that has just died makes the message fail; its disconnect ends this process.
  if (process.connected) process.send?.(message, () => undefined)
}

/** Returns a function that reports progress at most every UPDATE_MS, and always the beginning and end of a phase. */
const progressReporter = (): ((progress: Progress) => void) => {
  let last = { phase: '', at: 0 }
  return (progress) => {
    const now = performance.now()
    const ends = progress.done >= progress.of
    if (!ends && progress.phase === last.phase && now - last.at < UPDATE_MS) return
    last = { phase: progress.phase, at: now }
    send({ kind: 'progress', progress })
  }
}

const NO_CLIENT = 'no client waits for this job'

/** A job's deadline. It also ends when the parent stops the job: by a message, or by a file while the thread is busy. */
const deadlineOf = ({ budget, quickAfterMs = budget, directory }: Job<Plan>, stop: AbortController): Deadline => {
  const { remaining, signal } = deadlineIn(Math.min(budget, quickAfterMs), stop.signal)
  let checkedAt = performance.now()
  const checkStopFile = (): void => {
    if (performance.now() - checkedAt < LOOK_MS) return
    checkedAt = performance.now()
    if (existsSync(join(directory, STOP_FILE))) stop.abort(new Error(NO_CLIENT))
  }
  return {
    signal,
    remaining: () => {
      checkStopFile()
      return stop.signal.aborted ? 0 : remaining()
    },
  }
}

const endOf = async (job: Job<Plan>, report: Report): Promise<End> => {
  try {
    if (job.inspect === true) return { kind: 'inspected', information: await inspect(job, report) }
    return { kind: 'done', result: await optimise(job, report) }
  } catch (error) {
    const failure = error instanceof Failure ? error : exhaustion(error)
    if (failure !== undefined) return { kind: 'failed', failure: failure.toData() }
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { kind: 'fault', message }
  }
}

const work = async (job: Job<Plan>, stop: AbortController): Promise<LastWord> => {
  const stages: { readonly name: string; readonly ms: number }[] = []
  const end = await endOf(job, {
    deadline: deadlineOf(job, stop),
    fairMs: () => Math.max(0, fairEnd - performance.now()),
    offer: (offered) => send({ kind: 'offer', result: offered, stages: stages.splice(0) }),
    stage: (name, ms) => void stages.push({ name, ms }),
    advance: progressReporter(),
    notice: (message) => send({ kind: 'notice', message }),
  })
  return { ...end, stages, memory: process.memoryUsage.rss(), ...(isStillDrawing() ? { isSpent: true } : {}) }
}

/** Writes the cache of NODE_COMPILE_CACHE after the first job. Node writes it at exit, and children end by kills. */
let isCacheWritten = false
const writeCompileCache = (): void => {
  if (!isCacheWritten) flushCompileCache()
  isCacheWritten = true
}

let stop = new AbortController()
/** End of the job's fair part of the time, as a value of `performance.now()`. */
let fairEnd = Number.POSITIVE_INFINITY
process.on('message', (message: ToChild) => {
  if (message.kind === 'stop') {
    stop.abort(new Error(NO_CLIENT))
    return
  }
  if (message.kind === 'limit') {
    fairEnd = message.ms === undefined ? Number.POSITIVE_INFINITY : performance.now() + message.ms
    return
  }
  stop = new AbortController()
  void work(message.job, stop).then(send).then(writeCompileCache)
})
// A child ends with its parent.
process.on('disconnect', () => process.exit(0))
if (process.argv.includes(WATCH_PARENT)) watchParent()
// The whole process group gets the terminal's Ctrl-C and a supervisor's SIGTERM; the parent decides when children end.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)
send({ kind: 'ready' })
