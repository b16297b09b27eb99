import type { Deadline } from '../../../core/deadline.ts'
import { Failure } from '../../../core/failure.ts'
import type { Information } from '../../../core/information.ts'
import type { Job, Made, Progress } from '../../../core/outcome.ts'
import type { Plan } from '../../../plan/plan.ts'
import { OVER, raceSignal } from '../../../support/race.ts'
import type { LastWord, ToParent } from '../../protocol.ts'
import type { Ending, WorkerProcess } from './child.ts'
import { type ChildExit, nearLimit } from './child-exit.ts'
import { isOwnResult } from './validate-result-path.ts'

/** The child's own deadline comes a little before the parent's, so that it usually ends by itself with its best result. */
const CHILD_MARGIN_MS = 150
/** Ms between two looks at the memory of a child: 100 MB may come between the shortest; the longest while it is far from its limit. */
const LOOK_MS = { least: 50, most: 200 }
/** Bytes, as fast as pages are filled: 2 GB/s. */
const FILLED_PER_MS = 2e6

/** A job without the time that it may take. */
export type PoolJob = Omit<Job<Plan>, 'budget'>

/** Callbacks of a running job. */
export interface PoolReport {
  readonly queued?: (ms: number) => void
  readonly stage?: (name: string, ms: number) => void
  /** Called with how far a phase has got, a few times a second. */
  readonly advance?: (progress: Progress) => void
  /** Called with each better result as it comes; its file stays until the job's directory is removed. */
  readonly offer?: (made: Made) => void
}

/** The end of one try of a job. */
export type Tried<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'died'; readonly childExit: ChildExit }

interface Try<Result> {
  readonly job: PoolJob
  readonly deadline: Deadline
  readonly report: PoolReport
  /** Resident bytes at which the child is killed. */
  readonly memoryLimit: number
  /** Called with what a child finds missing in the installation. */
  readonly onNotice: ((message: string) => void) | undefined
  /** Gets the child back: at once with its ending, or, when the caller leaves before it, with the promise of one. */
  readonly giveBack: (ending: Ending | Promise<Ending>) => void
  /** Reads the result in a child's last message; see {@link madeOf} and {@link informationOf}. */
  readonly read: (end: LastWord, job: PoolJob) => Result
}

const tellStages = ({ stage }: PoolReport, { stages }: Pick<LastWord, 'stages'>): void => {
  for (const { name, ms } of stages) stage?.(name, ms)
}

const hearing =
  (child: WorkerProcess, { job, report, onNotice }: Try<unknown>) =>
  (message: ToParent): void => {
    if (message.kind === 'progress') report.advance?.(message.progress)
    else if (message.kind === 'notice') onNotice?.(message.message)
    else if (message.kind === 'offer') {
      tellStages(report, message)
      if (isOwnResult(message.made, job)) report.offer?.(message.made)
      else child.kill()
    }
  }

/** Ms until the memory of a child is measured again. */
const nextLook = (memory: number, memoryLimit: number): number =>
  Math.min(LOOK_MS.most, Math.max(LOOK_MS.least, (nearLimit(memoryLimit) - memory) / FILLED_PER_MS))

const watchMemory = (child: WorkerProcess, memoryLimit: number): Disposable => {
  const look = (): void => {
    const memory = child.measure()
    if (memory > memoryLimit) child.kill()
    timer = setTimeout(look, nextLook(memory, memoryLimit))
  }
  let timer = setTimeout(look, LOOK_MS.least)
  return { [Symbol.dispose]: () => clearTimeout(timer) }
}

const failureOf = (end: Exclude<LastWord, { kind: 'done' | 'inspected' }>): Error =>
  end.kind === 'failed' ? new Failure(end.failure) : new Error(`In the child process: ${end.message}`)

const misunderstood = (): Error => new Error('The child process answered what it was not asked.')

/** The description in a child's last message. Throws the failure in it. */
export const informationOf = (end: LastWord): Information => {
  if (end.kind === 'done') throw misunderstood()
  if (end.kind !== 'inspected') throw failureOf(end)
  return end.information
}

/** The result that was made. */
export const madeOf = (end: LastWord, job: PoolJob): Made => {
  if (end.kind === 'inspected') throw misunderstood()
  if (end.kind !== 'done') throw failureOf(end)
  if (!isOwnResult(end.made, job)) throw new Error('The child process named a file that is not its own.')
  return end.made
}

/** Reports the start of a child that was lent before it was ready as the stage `worker`. */
const reportStart = (child: WorkerProcess, { stage }: PoolReport): void => {
  if (child.isReady()) return
  const since = performance.now()
  void child.ready.then(() => stage?.('worker', performance.now() - since))
}

/** Tries a job in a child. Rejects with what is wrong with the image, with a fault, or with the deadline's reason. */
export const runInChild = async <Result>(child: WorkerProcess, tried: Try<Result>): Promise<Tried<Result>> => {
  const { job, deadline, report, memoryLimit, giveBack, read } = tried
  const budget = Math.max(1, deadline.remaining() - CHILD_MARGIN_MS)
  reportStart(child, report)
  const working = child.work({ ...job, budget }, hearing(child, tried))
  using _ = watchMemory(child, memoryLimit)
  const ending = await raceSignal(working, deadline.signal)
  if (ending === OVER) {
    giveBack(working)
    throw deadline.signal.reason
  }
  giveBack(ending)
  if (ending.kind === 'died') return ending
  tellStages(report, ending.end)
  return { kind: 'done', result: read(ending.end, job) }
}
