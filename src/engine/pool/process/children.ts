import { OVER, timer } from '../../../support/race.ts'
import { type Ending, openChild, type WorkerProcess } from './child.ts'
import { type ForkSettings, forkChild } from './fork-child.ts'

/** Why a child was replaced. */
export type Replaced = 'crashed' | 'killed' | 'recycled'

/** Settings of the children of a pool. */
export interface ChildrenSettings extends ForkSettings {
  /** Maximum number of children that work at the same time. */
  readonly workers: number
  /** Children to start when the pool opens, so that the first image need not wait; none by default. */
  readonly ahead?: number
  /** Maximum jobs of a child before the pool replaces it. */
  readonly maxJobs: number
  /** Maximum resident bytes of a child after a job before the pool replaces it. */
  readonly maxMemory: number
  /** Maximum resident bytes of an idle child after `restMs` before the pool replaces it; unlimited by default. */
  readonly restMemory?: number
  /** ms until an idle child is replaced; 15,000 by default. */
  readonly restMs?: number
  /** ms that a child may continue after the request to stop; 800 by default. */
  readonly stopMs?: number
  readonly onRestart?: (why: Replaced) => void
}

/** The child processes of a pool. Each works on one job at a time. */
export interface Children {
  /** Returns an idle child, or a new one. */
  readonly take: () => WorkerProcess
  /** Returns a child whose job has ended. */
  readonly putBack: (child: WorkerProcess, ending: Ending) => void
  /**
   * Returns a child whose job was abandoned. Asks it to stop, and kills it after `stopMs`. Resolves when it is idle or killed, with
   * whether it was killed.
   */
  readonly recover: (child: WorkerProcess, ending: Promise<Ending>) => Promise<boolean>
  /** Ends all children. */
  readonly close: () => Promise<void>
}

/** ms to stop, enough for one or two trials. Starting another child costs a second of a core. */
const STOP_MS = 800

/** ms of idleness before a replacement, long because starting a child costs about a second of a core. */
const REST_MS = 15_000

/** Tracks all processes and the idle ones. */
const openProcesses = (settings: ForkSettings) => {
  const all = new Set<WorkerProcess>()
  const idle: WorkerProcess[] = []
  /** Removes a child that has ended or will end soon. */
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

/** Opens the children of a pool. It starts a child when a job needs one, and keeps it. */
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
    // Keeps a spare child, so that a kill does not make other accounts wait for a start.
    while (why === 'killed' && !closed && size() <= workers) startAnother()
  }
  /** Replaces a child that is still idle after `restMs`, since kernels keep their memory for the next image. */
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
