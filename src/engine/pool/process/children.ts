import { OVER, timer } from '../../../support/race.ts'
import { type Ending, openChild, type WorkerProcess } from './child.ts'
import { type ForkSettings, forkChild } from './fork-child.ts'

/** Why a child was replaced. */
export type Replaced = 'crashed' | 'killed' | 'recycled'

export interface ChildrenSettings extends ForkSettings {
  /** Children that work at the same time. */
  readonly workers: number
  /** Children started when the pool opens, so that the first image need not wait for one; none unless given. */
  readonly ahead?: number
  /** A child is replaced after this many jobs … */
  readonly maxJobs: number
  /** … or when it holds more bytes of memory than this after a job. */
  readonly maxMemory: number
  /** A child that was idle for a while is replaced if it holds more bytes of memory than this; kept by default. */
  readonly restMemory?: number
  /** That while, in ms; 15,000 by default. */
  readonly restMs?: number
  /** ms that a child may continue after the request to stop; 800 by default. */
  readonly stopMs?: number
  readonly onRestart?: (why: Replaced) => void
}

/** The child processes of a pool: lent out one job at a time. */
export interface Children {
  /** An idle child, or a new one. */
  readonly take: () => WorkerProcess
  /** Takes a child back whose job has ended. */
  readonly putBack: (child: WorkerProcess, ending: Ending) => void
  /**
   * Takes a child back whose job was abandoned: it is asked to stop, and killed if it does not soon.
   * Resolves when it can be lent again or has ended, to whether it had to be killed.
   */
  readonly recover: (child: WorkerProcess, ending: Promise<Ending>) => Promise<boolean>
  /** Ends all children. */
  readonly close: () => Promise<void>
}

/** Time to stop, enough for a trial or two: starting another child takes a second of a core. */
const STOP_MS = 800

/** Starting a child takes about a second of a core, so only long-idle ones are replaced. */
const REST_MS = 15_000

/** All processes, and the idle ones. */
const openProcesses = (settings: ForkSettings) => {
  const all = new Set<WorkerProcess>()
  const idle: WorkerProcess[] = []
  /** Removes a child that has ended or soon will. */
  const forget = (child: WorkerProcess): void => {
    all.delete(child)
    const at = idle.indexOf(child)
    if (at >= 0) idle.splice(at, 1)
  }
  const start = (): WorkerProcess => {
    const child = openChild(forkChild(settings))
    all.add(child)
    void child.ended.then(() => forget(child))
    return child
  }
  return {
    size: () => all.size,
    isIdle: (child: WorkerProcess): boolean => idle.includes(child),
    keep: (child: WorkerProcess): void => void idle.push(child),
    startAnother: (): void => void idle.push(start()),
    take: (): WorkerProcess => {
      const at = idle.findLastIndex((child) => child.isReady())
      return (at < 0 ? idle.pop() : idle.splice(at, 1)[0]) ?? start()
    },
    forget,
    endAll: async (): Promise<void> => {
      const ends = [...all].map(({ ended }) => ended)
      for (const child of all) child.kill()
      await Promise.all(ends)
    },
  }
}

/** Opens the children of a pool; they are started when first needed, and then kept. */
export const openChildren = (settings: ChildrenSettings): Children => {
  const {
    workers,
    maxJobs,
    maxMemory,
    restMemory = Number.POSITIVE_INFINITY,
    restMs = REST_MS,
    stopMs = STOP_MS,
  } = settings
  const { size, isIdle, keep, startAnother, take, forget, endAll } = openProcesses(settings)
  let closed = false
  for (let count = 0; count < Math.min(workers, settings.ahead ?? 0); count++) startAnother()

  const replace = (child: WorkerProcess, why: Replaced): void => {
    forget(child)
    settings.onRestart?.(why)
    // One spare child is ready: the account that caused a kill must not make others wait for a start.
    while (why === 'killed' && !closed && size() <= workers) startAnother()
  }
  /** Kernels keep their memory for the next image: an idle child is replaced by a fresh one. */
  const renewLater = (child: WorkerProcess): void => {
    const jobs = child.jobs()
    const renew = (): void => {
      if (closed || !isIdle(child) || child.jobs() > jobs) return
      child.retire()
      replace(child, 'recycled')
      if (size() < workers) startAnother()
    }
    setTimeout(renew, restMs).unref()
  }
  const putBack: Children['putBack'] = (child, ending) => {
    if (ending.kind === 'died') return replace(child, 'crashed')
    if (ending.end.isSpent === true) {
      child.kill()
      return replace(child, 'killed')
    }
    if (closed || child.jobs() >= maxJobs || ending.end.memory > maxMemory) {
      child.retire()
      return replace(child, 'recycled')
    }
    keep(child)
    if (ending.end.memory > restMemory) renewLater(child)
  }
  const recover: Children['recover'] = async (child, ending) => {
    child.stop()
    using grace = timer(stopMs)
    const stopped = await Promise.race([ending, grace.over])
    if (stopped !== OVER) {
      putBack(child, stopped)
      return false
    }
    child.kill()
    replace(child, 'killed')
    return true
  }
  const close = async (): Promise<void> => {
    closed = true
    await endAll()
  }
  return { take, putBack, recover, close }
}
