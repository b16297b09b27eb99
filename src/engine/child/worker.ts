/** A child process of the pool: takes one job at a time over IPC, so that a crash or a hang costs one request. */
import { deadlineIn } from '../../core/deadline.ts'
import { exhaustion } from '../../core/exhausted.ts'
import { Failure } from '../../core/failure.ts'
import type { Job, Progress } from '../../core/outcome.ts'
import type { Plan } from '../../plan/plan.ts'
import { type LastWord, type ToChild, type ToParent, WATCH_PARENT } from '../protocol.ts'
import { optimise } from './optimise.ts'
import { watchParent } from './watch-parent.ts'

const tell = (message: ToParent): void => {
  if (process.connected) process.send?.(message)
}

/** ms between two messages on how the work goes on. */
const PROGRESS_EVERY_MS = 200

/** Tells of progress now and then, and always of a phase's beginning and end. */
const tellProgress = (): ((progress: Progress) => void) => {
  let told = { phase: '', at: 0 }
  return (progress) => {
    const now = performance.now()
    const ends = progress.done >= progress.of
    if (!ends && progress.phase === told.phase && now - told.at < PROGRESS_EVERY_MS) return
    told = { phase: progress.phase, at: now }
    tell({ kind: 'progress', progress })
  }
}

const work = async (job: Job<Plan>, stopped: AbortSignal): Promise<LastWord> => {
  const memory = (): number => process.memoryUsage.rss()
  try {
    const made = await optimise(job, {
      deadline: deadlineIn(job.budget, stopped),
      offer: (offered) => tell({ kind: 'offer', made: offered }),
      stage: (name, ms) => tell({ kind: 'stage', name, ms }),
      advance: tellProgress(),
      notice: (message) => tell({ kind: 'notice', message }),
    })
    return { kind: 'done', made, memory: memory() }
  } catch (error) {
    const failure = error instanceof Failure ? error : exhaustion(error)
    if (failure !== undefined) return { kind: 'failed', failure: failure.toData(), memory: memory() }
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { kind: 'fault', message, memory: memory() }
  }
}

let stop = new AbortController()
process.on('message', (message: ToChild) => {
  if (message.kind === 'stop') {
    stop.abort(new Error('nobody waits for this job'))
    return
  }
  stop = new AbortController()
  void work(message.job, stop.signal).then(tell)
})
// Without its parent a child has nobody to work for.
process.on('disconnect', () => process.exit(0))
if (process.argv.includes(WATCH_PARENT)) watchParent()
// The whole process group gets the terminal's Ctrl-C and a supervisor's SIGTERM; the parent decides when children end.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)
tell({ kind: 'ready' })
