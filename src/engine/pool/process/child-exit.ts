import { type Failure, fail } from '../../../core/failure.ts'

/** The exit of a child process. */
export interface ChildExit {
  readonly signal: NodeJS.Signals | null
  readonly code: number | null
  /** Whether its program had loaded. An image causes every later crash. */
  readonly ready: boolean
  /** Largest measured resident bytes, including all descendants. */
  readonly memory: number
}

/** Why a child died: its memory, a crash at an image, a kill from outside, or a failed start. */
export type Cause = 'memory' | 'crash' | 'outside' | 'start'

/** Signals of a crash: in a decoder, by an assertion, or by a check of the compiler. */
const CRASHES: ReadonlySet<string> = new Set(['SIGSEGV', 'SIGBUS', 'SIGABRT', 'SIGILL', 'SIGFPE', 'SIGTRAP', 'SIGSYS'])

/** Resident bytes from which on the system may kill a process before the pool does. */
export const nearLimit = (memoryLimit: number): number => 0.7 * memoryLimit

/** Returns why a child died. The sender of SIGKILL is unknown, but the system does not kill a small process for its memory. */
export const causeOf = ({ signal, ready, memory }: ChildExit, memoryLimit: number): Cause => {
  if (memory > nearLimit(memoryLimit)) return 'memory'
  if (!ready) return 'start'
  return signal === null || CRASHES.has(signal) ? 'crash' : 'outside'
}

/** Number of crashes after which an image counts as damaged. */
const MAX_CRASHES = 2
/** Number of other deaths after which the pool gives up on an image. */
const MAX_LOST_CHILDREN = 3

/** Returns the failure after the deaths of children at one image, or undefined if another child may try it. */
export const failureAfter = (childExits: readonly Cause[], memoryLimit: number): Failure | undefined => {
  const count = (...causes: readonly Cause[]): number => childExits.filter((cause) => causes.includes(cause)).length
  if (count('memory') > 0) return fail('IMAGE_TOO_COMPLEX', memoryLimit)
  if (count('crash') >= MAX_CRASHES) return fail('SOURCE_DAMAGED')
  return count('outside', 'start') >= MAX_LOST_CHILDREN ? fail('WORKERS_LOST') : undefined
}
