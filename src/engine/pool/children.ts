import { OVER, timer } from '../../core/race.ts'
import { type Ending, openChild, type WorkerProcess } from './child.ts'
import { type ForkSettings, forkChild } from './fork-child.ts'

/** Why a child was replaced. */
export type Replaced = 'crashed' | 'killed' | 'recycled'

export interface ChildrenSettings extends ForkSettings {
  /** Children that work at the same time. */
  readonly workers: number
  /** A child is replaced after so many jobs … */
  readonly maxJobs: number
  /** … or when it holds more bytes of memory than this after a job. */
  readonly maxMemory: number
  /** A child that has had nothing to do for a while is replaced when it holds more bytes of memory than this; kept unless given. */
  readonly restMemory?: number
  /** That while, in ms; 15,000 unless given. */
  readonly restMs?: number
  /** Ms that a child may go on after it was asked to stop; 0.8 s unless given. */
  readonly stopMs?: number
  readonly onRestart?: (why: Replaced) => void
}

/** The child processes of a pool: lent out one job at a time. */
export interface Children {
  /** A child that has nothing to do: one that is there, or a new one. */
  readonly take: () => WorkerProcess
  /** Takes a child back whose job has ended. */
  readonly putBack: (child: WorkerProcess, ending: Ending) => void
  /**
   * Takes a child back whose job nobody waits for any more: it is asked to stop, and killed when it does not soon.
   * Resolves when it can be lent again, or is no more; to whether it had to be killed.
   */
  readonly recover: (child: WorkerProcess, ending: Promise<Ending>) => Promise<boolean>
  /** Ends all children. */
  readonly close: () => Promise<void>
}

/** How long a child may go on after it was asked to stop, a trial or two: to start another costs a second of a core. */
const STOP_MS = 800

/** To start a child takes about a second of a core: only what rests for so many ms is worth it. */
const REST_MS = 15_000

/** The processes that there are, and which of them have nothing to do. */
const openProcesses = (settings: ForkSettings) => {
  const all = new Set<WorkerProcess>()
  const idle: WorkerProcess[] = []
  /** Counts a child no longer: it has ended, or soon will. */
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

  const replace = (child: WorkerProcess, why: Replaced): void => {
    forget(child)
    settings.onRestart?.(why)
    // One more than can work, so that it is ready when it is needed: whoever made us kill one must not make others wait for another.
    while (why === 'killed' && !closed && size() <= workers) startAnother()
  }
  /** Kernels keep their memories for the next image: a child that gets none for a while gives way to a fresh one. */
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
