import type { ChildProcess } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Job } from '../../core/outcome.ts'
import type { Plan } from '../../plan/plan.ts'
import { type LastWord, STOP_FILE, type ToChild, type ToParent } from '../protocol.ts'
import type { Death } from './death.ts'
import { killGroup, residentBytes } from './process-group.ts'

/** How a job in a child ended: with the child's last word on it, or with the child. */
export type Ending =
  | { readonly kind: 'told'; readonly end: LastWord }
  | { readonly kind: 'died'; readonly death: Death }

/** A child process that works on one image at a time. */
export interface WorkerProcess {
  /** Jobs begun so far. */
  readonly jobs: () => number
  readonly isReady: () => boolean
  /** Works on a job until it ends or the child does; `hear` gets everything said meanwhile. Never rejects. */
  readonly work: (job: Job<Plan>, hear: (message: ToParent) => void) => Promise<Ending>
  /** Asks the child to end its job soon. */
  readonly stop: () => void
  /** Ends the child with everything that it started. */
  readonly kill: () => void
  /** Lets the child end by itself, soon. */
  readonly retire: () => void
  /** Looks at its memory: resident bytes, with everything that it started. */
  readonly measure: () => number
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>
}

const RETIRE_MS = 2000

const isEnd = (message: ToParent): message is LastWord =>
  message.kind === 'done' || message.kind === 'inspected' || message.kind === 'failed' || message.kind === 'fault'

/** Takes charge of a process that was just started. */
export const openChild = (process: ChildProcess): WorkerProcess => {
  let jobs = 0
  let ready = false
  let memory = 0
  let directory = ''
  let hear: ((message: ToParent) => void) | undefined
  let settle: ((ending: Ending) => void) | undefined
  const died = Promise.withResolvers<void>()

  const finish = (ending: Ending): void => {
    settle?.(ending)
    hear = undefined
    settle = undefined
  }
  const die = (signal: NodeJS.Signals | null, code: number | null): void => {
    finish({ kind: 'died', death: { signal, code, ready, memory } })
    died.resolve()
  }
  const tell = (message: ToChild): void => {
    // What cannot be told to it is told by its end.
    if (process.connected) process.send(message, () => undefined)
  }

  process.on('message', (message: ToParent) => {
    if (message.kind === 'ready') ready = true
    else if (isEnd(message)) finish({ kind: 'told', end: message })
    else hear?.(message)
  })
  // An 'error' without a death (a failed send) is told by the exit that follows our kill; what never started has none.
  process.on('error', () => (process.pid === undefined ? die(null, null) : killGroup(process)))
  process.on('exit', (code, signal) => die(signal, code))

  return {
    jobs: () => jobs,
    isReady: () => ready,
    work: (job, listener) => {
      jobs += 1
      memory = 0
      directory = job.directory
      const { promise, resolve } = Promise.withResolvers<Ending>()
      hear = listener
      settle = resolve
      if (process.exitCode !== null || process.signalCode !== null) die(process.signalCode, process.exitCode)
      else tell({ kind: 'job', job })
      return promise
    },
    stop: () => {
      tell({ kind: 'stop' })
      // The directory may be gone already, and the job with it.
      writeFile(join(directory, STOP_FILE), '', { mode: 0o600 }).catch(() => undefined)
    },
    kill: () => killGroup(process),
    retire: () => {
      if (process.connected) process.disconnect()
      setTimeout(() => killGroup(process), RETIRE_MS).unref()
    },
    measure: () => {
      if (process.pid !== undefined) memory = Math.max(memory, residentBytes(process.pid))
      return memory
    },
    ended: died.promise,
  }
}
