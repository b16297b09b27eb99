import type { ChildProcess } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Job } from '../../../core/outcome.ts'
import type { Plan } from '../../../plan/plan.ts'
import { type LastWord, STOP_FILE, type ToChild, type ToParent } from '../../protocol.ts'
import type { ChildExit } from './child-exit.ts'
import { killGroup, killRest, residentBytes } from './process-group.ts'

/** The end of a job in a child: its last message, or the child's exit. */
export type Ending =
  | { readonly kind: 'reported'; readonly end: LastWord }
  | { readonly kind: 'died'; readonly childExit: ChildExit }

/** A child process that works on one image at a time. */
export interface WorkerProcess {
  /** Jobs begun so far. */
  readonly jobs: () => number
  readonly isReady: () => boolean
  /** Resolves when the process takes its first job. Stays pending when it ends before. */
  readonly ready: Promise<void>
  /** Sends a job and resolves when the job or the child ends. `onMessage` receives all other messages. Never rejects. */
  readonly work: (job: Job<Plan>, onMessage: (message: ToParent) => void) => Promise<Ending>
  /** Limits the running or the next job to `ms` from now. undefined removes the limit. */
  readonly limitTime: (ms: number | undefined) => void
  /** Sends a request to end the job soon. */
  readonly stop: () => void
  /** Kills the child and all programs that it started. */
  readonly kill: () => void
  /** Disconnects the child, which then exits. Kills it after 2 s. */
  readonly retire: () => void
  /** Returns the largest memory of the job so far: resident bytes of the child and of all programs that it started. */
  readonly measure: () => number
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>
}

/** ms that a disconnected child has to exit. Chosen, not measured. */
const RETIRE_MS = 2000

const isEnd = (message: ToParent): message is LastWord =>
  message.kind === 'done' || message.kind === 'inspected' || message.kind === 'failed' || message.kind === 'fault'

/** Calls `onMessage` with each message, and `onExit` when the process has ended or could not be started. */
const listen = (process: ChildProcess, onMessage: (message: ToParent) => void, onExit: (exit: Exit) => void): void => {
  process.on('message', onMessage)
  // The exit after our kill reports an 'error' without a death (a failed send); a process that never started has no exit.
  process.on('error', () => (process.pid === undefined ? onExit({ signal: null, code: null }) : killGroup(process)))
  process.on('exit', (code, signal) => {
    // A kill of the child alone leaves its descendants: a sandbox that is being set up then waits for ever.
    killRest(process)
    onExit({ signal, code })
  })
}

type Exit = Pick<ChildExit, 'signal' | 'code'>

/** The job that a child works on. */
interface CurrentJob {
  readonly directory: string
  readonly onMessage: (message: ToParent) => void
  readonly settle: (ending: Ending) => void
}

/** Holds the job that a child works on, if any. */
const openJobSlot = () => {
  let current: CurrentJob | undefined
  const finish = (ending: Ending): void => {
    current?.settle(ending)
    current = undefined
  }
  return {
    /** Resolves when `finish` or `receive` ends the job. */
    begin: ({ directory }: Job<Plan>, onMessage: (message: ToParent) => void): Promise<Ending> => {
      const { promise, resolve } = Promise.withResolvers<Ending>()
      current = { directory, onMessage, settle: resolve }
      return promise
    },
    finish,
    /** Ends the job if the message is its last one. Passes other messages on. */
    receive: (message: ToParent): void => {
      if (isEnd(message)) finish({ kind: 'reported', end: message })
      else current?.onMessage(message)
    },
    /** Writes the file that a computing child looks for. */
    writeStopFile: (): void => {
      // The job may have ended and removed its directory.
      if (current) writeFile(join(current.directory, STOP_FILE), '', { mode: 0o600 }).catch(() => undefined)
    },
  }
}

/** Returns the interface of a process that was just started. */
export const openChild = (process: ChildProcess): WorkerProcess => {
  let jobs = 0
  let ready = false
  let memory = 0
  const slot = openJobSlot()
  const gone = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()

  const died = (exit: Exit): void => {
    slot.finish({ kind: 'died', childExit: { ...exit, ready, memory } })
    gone.resolve()
  }
  const receive = (message: ToParent): void => {
    if (message.kind === 'ready') {
      ready = true
      started.resolve()
    } else slot.receive(message)
  }
  const send = (message: ToChild): void => {
    // The child's exit reports a failed message.
    if (process.connected) process.send(message, () => undefined)
  }
  const work: WorkerProcess['work'] = (job, onMessage) => {
    jobs += 1
    memory = 0
    const ending = slot.begin(job, onMessage)
    const { signalCode: signal, exitCode: code } = process
    if (code !== null || signal !== null) died({ signal, code })
    else send({ kind: 'job', job })
    return ending
  }
  const limitTime = (ms: number | undefined): void => send({ kind: 'limit', ...(ms === undefined ? {} : { ms }) })
  const stop = (): void => {
    send({ kind: 'stop' })
    slot.writeStopFile()
  }
  const retire = (): void => {
    if (process.connected) process.disconnect()
    setTimeout(() => killGroup(process), RETIRE_MS).unref()
  }
  const measure = (): number => {
    if (process.pid !== undefined) memory = Math.max(memory, residentBytes(process.pid))
    return memory
  }

  listen(process, receive, died)
  return {
    jobs: () => jobs,
    isReady: () => ready,
    ready: started.promise,
    work,
    limitTime,
    stop,
    kill: () => killGroup(process),
    retire,
    measure,
    ended: gone.promise,
  }
}
