import type { Deadline } from '../../../core/deadline.ts'
import { Failure } from '../../../core/failure.ts'
import type { Information } from '../../../core/information.ts'
import type { Job, Progress, ResultFile } from '../../../core/outcome.ts'
import type { Plan } from '../../../plan/plan.ts'
import { OVER, raceSignal } from '../../../support/race.ts'
import type { LastWord, ToParent } from '../../protocol.ts'
import type { Ending, WorkerProcess } from './child.ts'
import { type ChildExit, nearLimit } from './child-exit.ts'
import { isOwnResult } from './validate-result-path.ts'

/** ms by which the child's deadline precedes the parent's, so that the child usually ends by itself with its best result. */
const CHILD_MARGIN_MS = 150
/** ms between measurements of a child's memory: the shortest near its limit, which allows for 100 MB, the longest far from it. */
const MEASURE_MS = { min: 50, max: 200 }
/** Bytes that a process can fill per ms: 2 GB/s. */
const FILLED_PER_MS = 2e6

/** A job without its time limit. */
export type PoolJob = Omit<Job<Plan>, 'budget'>

/** Callbacks of a running job. */
export interface PoolReport {
  readonly queued?: (ms: number) => void
  readonly stage?: (name: string, ms: number) => void
  /** Receives the progress of a phase, a few times a second. */
  readonly advance?: (progress: Progress) => void
  /** Receives each better result. Its file exists until the job's directory is removed. */
  readonly offer?: (file: ResultFile) => void
}

/** The end of a run of a job in a child. */
export type ChildRunEnd<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'died'; readonly childExit: ChildExit }

/** A run of a job in a child. */
interface ChildRun<Result> {
  readonly job: PoolJob
  readonly deadline: Deadline
  readonly report: PoolReport
  /** Resident bytes at which the child is killed. */
  readonly memoryLimit: number
  /** Receives a message about a missing part of the installation. */
  readonly onNotice: ((message: string) => void) | undefined
  /** Returns the child to the pool: with its ending, or with the promise of one if the deadline came first. */
  readonly giveBack: (ending: Ending | Promise<Ending>) => void
  /** Reads the result in a child's last message; see {@link resultOf} and {@link informationOf}. */
  readonly read: (end: LastWord, job: PoolJob) => Result
}

const reportStages = ({ stage }: PoolReport, { stages }: Pick<LastWord, 'stages'>): void => {
  for (const { name, ms } of stages) stage?.(name, ms)
}

const messageHandler =
  (child: WorkerProcess, { job, report, onNotice }: ChildRun<unknown>) =>
  (message: ToParent): void => {
    if (message.kind === 'progress') report.advance?.(message.progress)
    else if (message.kind === 'notice') onNotice?.(message.message)
    else if (message.kind === 'offer') {
      reportStages(report, message)
      if (isOwnResult(message.result, job)) report.offer?.(message.result)
      else child.kill()
    }
  }

/** Returns the ms until the next measurement of a child's memory. */
const nextMeasurement = (memory: number, memoryLimit: number): number =>
  Math.min(MEASURE_MS.max, Math.max(MEASURE_MS.min, (nearLimit(memoryLimit) - memory) / FILLED_PER_MS))

const watchMemory = (child: WorkerProcess, memoryLimit: number): Disposable => {
  const measure = (): void => {
    const memory = child.measure()
    if (memory > memoryLimit) child.kill()
    timer = setTimeout(measure, nextMeasurement(memory, memoryLimit))
  }
  let timer = setTimeout(measure, MEASURE_MS.min)
  return { [Symbol.dispose]: () => clearTimeout(timer) }
}

const failureOf = (end: Exclude<LastWord, { kind: 'done' | 'inspected' }>): Error =>
  end.kind === 'failed' ? new Failure(end.failure) : new Error(`In the child process: ${end.message}`)

const wrongKind = (): Error => new Error('The child process returned a result of another kind of job.')

/** Returns the description from a child's last message. Throws the failure in it. */
export const informationOf = (end: LastWord): Information => {
  if (end.kind === 'done') throw wrongKind()
  if (end.kind !== 'inspected') throw failureOf(end)
  return end.information
}

/** Returns the result from a child's last message. Throws the failure in it, or an Error for a foreign file. */
export const resultOf = (end: LastWord, job: PoolJob): ResultFile => {
  if (end.kind === 'inspected') throw wrongKind()
  if (end.kind !== 'done') throw failureOf(end)
  if (!isOwnResult(end.result, job)) throw new Error('The child process named a file that is not its own.')
  return end.result
}

/** Reports the start time of a child that is not ready as the stage `worker`. */
const reportStart = (child: WorkerProcess, { stage }: PoolReport): void => {
  if (child.isReady()) return
  const since = performance.now()
  void child.ready.then(() => stage?.('worker', performance.now() - since))
}

/** Runs a job in a child once. Rejects with a Failure for the image, an Error for a fault, or the deadline's reason. */
export const runInChild = async <Result>(child: WorkerProcess, run: ChildRun<Result>): Promise<ChildRunEnd<Result>> => {
  const { job, deadline, report, memoryLimit, giveBack, read } = run
  const budget = Math.max(1, deadline.remaining() - CHILD_MARGIN_MS)
  reportStart(child, report)
  const working = child.work({ ...job, budget }, messageHandler(child, run))
  using _ = watchMemory(child, memoryLimit)
  const ending = await raceSignal(working, deadline.signal)
  if (ending === OVER) {
    giveBack(working)
    throw deadline.signal.reason
  }
  giveBack(ending)
  if (ending.kind === 'died') return ending
  reportStages(report, ending.end)
  return { kind: 'done', result: read(ending.end, job) }
}
