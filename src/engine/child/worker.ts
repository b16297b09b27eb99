/** A child process of the pool: takes one job at a time over IPC, so that a crash or a hang costs one request. */
import { deadlineIn } from '../../core/deadline.ts'
import { Failure } from '../../core/failure.ts'
import type { Job, Progress } from '../../core/outcome.ts'
import type { Plan } from '../../plan/plan.ts'
import type { ToChild, ToParent } from '../protocol.ts'
import { optimise } from './optimise.ts'

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

const work = async (job: Job<Plan>): Promise<ToParent> => {
  const memory = (): number => process.memoryUsage.rss()
  try {
    const made = await optimise(job, {
      deadline: deadlineIn(job.budget),
      offer: (offered) => tell({ kind: 'offer', made: offered }),
      stage: (name, ms) => tell({ kind: 'stage', name, ms }),
      advance: tellProgress(),
      notice: (message) => tell({ kind: 'notice', message }),
    })
    return { kind: 'done', made, memory: memory() }
  } catch (error) {
    if (error instanceof Failure) return { kind: 'failed', failure: error.toData(), memory: memory() }
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { kind: 'fault', message, memory: memory() }
  }
}

process.on('message', (message: ToChild) => void work(message.job).then(tell))
// Without its parent a child has nobody to work for.
process.on('disconnect', () => process.exit(0))
// The whole process group gets the terminal's Ctrl-C and a supervisor's SIGTERM; the parent decides when children end.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)
tell({ kind: 'ready' })
