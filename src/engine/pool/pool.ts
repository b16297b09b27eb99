/**
 * A pool of child processes, each working on one image at a time.
 *
 * Ours and not a library's, because it must do three things together that neither tinypool 2 nor workerpool 10 does:
 * hand out ever better results while a job runs, kill a child and its own children (ffmpeg, gifsicle) at once when the
 * deadline passes, and recycle children by count and by memory.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Deadline } from '../../core/deadline.ts'
import { Failure, fail } from '../../core/failure.ts'
import type { Job, Made, Progress } from '../../core/outcome.ts'
import type { Plan } from '../../plan/plan.ts'
import type { ToParent } from '../protocol.ts'

export interface PoolSettings {
  readonly workers: number
  /** Jobs that may wait; one more is refused with OVERLOADED. */
  readonly queueLimit: number
  /** A child is replaced after so many jobs … */
  readonly maxJobs: number
  /** … or when it holds more bytes of memory than this after a job. */
  readonly maxMemory: number
  readonly onRestart?: (why: 'crashed' | 'killed' | 'recycled') => void
  /** Called with what a child finds missing in the installation; each child tells it once. */
  readonly onNotice?: (message: string) => void
}

export interface PoolReport {
  readonly queued?: (ms: number) => void
  readonly stage?: (name: string, ms: number) => void
  /** Called with how far a phase has got, a few times a second. */
  readonly advance?: (progress: Progress) => void
  /** Called with each better result as it comes; its file stays until the job's directory is removed. */
  readonly offer?: (made: Made) => void
}

export interface Pool {
  /**
   * Runs a job in a child. When the deadline ends first the child is killed and the promise rejects with
   * `deadline.signal.reason`; what was offered by then is the caller's to use.
   * Rejects with a {@link Failure} for what is wrong with the image: SOURCE_DAMAGED also when two children in a row died of it.
   * Rejects with an Error for a fault of ours.
   */
  readonly run: (job: Omit<Job<Plan>, 'budget'>, deadline: Deadline, report?: PoolReport) => Promise<Made>
  readonly depth: () => number
  /** One more job would be refused now. */
  readonly isFull: () => boolean
  readonly busy: () => number
  /** Ends all children; running jobs reject. */
  readonly close: () => Promise<void>
}

interface Waiting {
  readonly start: (child: Child) => void
  readonly refuse: (reason: unknown) => void
}

interface Child {
  readonly process: ChildProcess
  jobs: number
  /** Its program was loaded: from here on a death has to do with an image. */
  ready: boolean
  listener?: (message: ToParent) => void
  onDeath?: (why: string) => void
}

/** The child works in TypeScript's place under type stripping, and in JavaScript's after the build. */
const WORKER = fileURLToPath(
  new URL(`../child/worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url),
)
/** The child's own deadline comes a little before the parent's, so that it usually ends by itself with its best result. */
const CHILD_MARGIN_MS = 150

/** Children see no secrets of the service's environment (database addresses, keys). */
const CHILD_ENVIRONMENT = [
  'PATH',
  'HOME',
  'LANG',
  'TMPDIR',
  'TZ',
  'FONTCONFIG_FILE',
  'FONTCONFIG_PATH',
  'FFMPEG_PATH',
  'LD_LIBRARY_PATH',
]

const childEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    CHILD_ENVIRONMENT.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )

/** A child died by itself: a crash in a decoder, or no memory. */
class ChildDied extends Error {}

/** Kills a child with everything that it started: it leads its own process group. */
const killGroup = (child: ChildProcess): void => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    child.kill('SIGKILL')
  }
}

/** Opens a pool; children are started when first needed and then kept. */
export const openPool = (settings: PoolSettings): Pool => {
  const idle: Child[] = []
  const all = new Set<Child>()
  const queue: Waiting[] = []
  let running = 0
  let closed = false

  const spawn = (): Child => {
    const forked = fork(WORKER, [], {
      detached: true,
      env: childEnvironment(),
      execArgv: [
        ...process.execArgv.filter((flag) => !flag.startsWith('--inspect')),
        '--disable-warning=ExperimentalWarning',
      ],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const child: Child = { process: forked, jobs: 0, ready: false }
    all.add(child)
    forked.on('message', (message: ToParent) => {
      if (message.kind === 'ready') child.ready = true
      child.listener?.(message)
    })
    const died = (why: string): void => {
      all.delete(child)
      const at = idle.indexOf(child)
      if (at >= 0) idle.splice(at, 1)
      child.onDeath?.(why)
    }
    // An 'error' without a death (a failed send) is told by the exit that follows our kill; what never started has none.
    forked.on('error', (error) => (forked.pid === undefined ? died(error.message) : killGroup(forked)))
    forked.on('exit', (code, signal) => died(signal ?? `code ${code}`))
    return child
  }

  const retire = (child: Child): void => {
    all.delete(child)
    if (child.process.connected) child.process.disconnect()
    setTimeout(() => killGroup(child.process), 2000).unref()
  }

  const next = (): void => {
    while (!closed && running < settings.workers) {
      const waiting = queue.shift()
      if (waiting === undefined) return
      running += 1
      waiting.start(idle.pop() ?? spawn())
    }
  }

  const giveBack = (child: Child, memory: number | undefined): void => {
    delete child.listener
    delete child.onDeath
    running -= 1
    if (memory === undefined) {
      killGroup(child.process)
    } else if (child.jobs >= settings.maxJobs || memory > settings.maxMemory || closed) {
      settings.onRestart?.('recycled')
      retire(child)
    } else {
      idle.push(child)
    }
    next()
  }

  const isFull = (): boolean => running >= settings.workers && queue.length >= settings.queueLimit

  const lend = (deadline: Deadline, report: PoolReport): Promise<Child> => {
    if (closed) return Promise.reject(fail('SHUTTING_DOWN'))
    if (isFull()) return Promise.reject(fail('OVERLOADED'))
    const since = performance.now()
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        const at = queue.indexOf(waiting)
        if (at >= 0) queue.splice(at, 1)
        reject(deadline.signal.reason)
      }
      const waiting: Waiting = {
        refuse: (reason) => {
          deadline.signal.removeEventListener('abort', leave)
          reject(reason)
        },
        start: (child) => {
          deadline.signal.removeEventListener('abort', leave)
          report.queued?.(performance.now() - since)
          resolve(child)
        },
      }
      if (deadline.signal.aborted) return leave()
      deadline.signal.addEventListener('abort', leave, { once: true })
      queue.push(waiting)
      next()
    })
  }

  const work = (child: Child, job: Omit<Job<Plan>, 'budget'>, deadline: Deadline, report: PoolReport): Promise<Made> =>
    new Promise((resolve, reject) => {
      const end = (memory: number | undefined, settle: () => void): void => {
        deadline.signal.removeEventListener('abort', stop)
        giveBack(child, memory)
        settle()
      }
      const stop = (): void => {
        settings.onRestart?.('killed')
        end(undefined, () => reject(deadline.signal.reason))
      }
      child.jobs += 1
      child.onDeath = (why) => {
        settings.onRestart?.('crashed')
        const text = `The child process ended unexpectedly (${why}).`
        end(undefined, () => reject(child.ready ? new ChildDied(text) : new Error(`${text} It could not even start.`)))
      }
      child.listener = (message) => {
        switch (message.kind) {
          case 'stage':
            return report.stage?.(message.name, message.ms)
          case 'progress':
            return report.advance?.(message.progress)
          case 'notice':
            return settings.onNotice?.(message.message)
          case 'offer':
            return report.offer?.(message.made)
          case 'done':
            return end(message.memory, () => resolve(message.made))
          case 'failed':
            return end(message.memory, () => reject(new Failure(message.failure)))
          case 'fault':
            return end(message.memory, () => reject(new Error(`In the child process: ${message.message}`)))
        }
      }
      if (deadline.signal.aborted) return stop()
      deadline.signal.addEventListener('abort', stop, { once: true })
      const budget = Math.max(1, deadline.remaining() - CHILD_MARGIN_MS)
      child.process.send({ kind: 'job', job: { ...job, budget } })
    })

  const run: Pool['run'] = async (job, deadline, report = {}) => {
    const attempt = async (): Promise<Made> => work(await lend(deadline, report), job, deadline, report)
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof ChildDied)) throw error
    }
    try {
      // What an earlier image did to the child, or the system's want of memory, may have ended it.
      return await attempt()
    } catch (error) {
      throw error instanceof ChildDied ? Object.assign(fail('SOURCE_DAMAGED'), { cause: error }) : error
    }
  }

  return {
    run,
    depth: () => queue.length,
    isFull,
    busy: () => running,
    close: async () => {
      closed = true
      for (const waiting of queue.splice(0)) waiting.refuse(fail('SHUTTING_DOWN'))
      const deaths = [...all].map((child) => new Promise((resolve) => child.process.once('exit', resolve)))
      for (const child of all) killGroup(child.process)
      await Promise.all(deaths)
    },
  }
}
