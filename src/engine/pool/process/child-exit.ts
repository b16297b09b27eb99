import { type Failure, fail } from '../../../core/failure.ts'

/** How a child process ended. */
export interface ChildExit {
  readonly signal: NodeJS.Signals | null
  readonly code: number | null
  /** Its program had loaded: a crash after that was caused by an image. */
  readonly ready: boolean
  /** Largest measured resident bytes, including everything that it started. */
  readonly memory: number
}

/** Why a child died: its memory, a crash at an image, a kill from outside, or a failed start. */
export type Cause = 'memory' | 'crash' | 'outside' | 'start'

/** Signals that the program itself causes: a crash of a decoder, an assertion, a check of the compiler. */
const CRASHES: ReadonlySet<string> = new Set(['SIGSEGV', 'SIGBUS', 'SIGABRT', 'SIGILL', 'SIGFPE', 'SIGTRAP', 'SIGSYS'])

/** Resident bytes from which the system may end a process before we do: by refusing memory, or by killing the largest. */
export const nearLimit = (memoryLimit: number): number => 0.7 * memoryLimit

/** Returns why a child died. The sender of SIGKILL is unknown, but the system does not kill a small process for its memory. */
export const causeOf = ({ signal, ready, memory }: ChildExit, memoryLimit: number): Cause => {
  if (memory > nearLimit(memoryLimit)) return 'memory'
  if (!ready) return 'start'
  return signal === null || CRASHES.has(signal) ? 'crash' : 'outside'
}

/** An image that crashes this many children is damaged. */
const MAX_CRASHES = 2
/** Deaths for other reasons after which an image is not tried again. */
const MAX_LOST_CHILDREN = 3

/** The failure after these deaths at one image; undefined while it gets another try in a fresh child. */
export const failureAfter = (childExits: readonly Cause[], memoryLimit: number): Failure | undefined => {
  const count = (...causes: readonly Cause[]): number => childExits.filter((cause) => causes.includes(cause)).length
  if (count('memory') > 0) return fail('IMAGE_TOO_COMPLEX', memoryLimit)
  if (count('crash') >= MAX_CRASHES) return fail('SOURCE_DAMAGED')
  return count('outside', 'start') >= MAX_LOST_CHILDREN ? fail('WORKERS_LOST') : undefined
}
