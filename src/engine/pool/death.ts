import { type Failure, fail } from '../../core/failure.ts'

/** How a child process ended, and what was known of it then. */
export interface Death {
  readonly signal: NodeJS.Signals | null
  readonly code: number | null
  /** Its program was loaded: from here on a crash has to do with an image. */
  readonly ready: boolean
  /** Most resident bytes that it was seen with, with everything that it started. */
  readonly memory: number
}

/** What a child died of: its memory, something in the image, somebody outside, or before it had begun. */
export type Cause = 'memory' | 'crash' | 'outside' | 'start'

/** Signals that come from within: a decoder that crashed, an assertion, a check of the compiler. */
const CRASHES: ReadonlySet<string> = new Set(['SIGSEGV', 'SIGBUS', 'SIGABRT', 'SIGILL', 'SIGFPE', 'SIGTRAP', 'SIGSYS'])

/** Resident bytes from which the system may end a process before we do: by refusing memory, or by killing the largest. */
export const nearLimit = (memoryLimit: number): number => 0.7 * memoryLimit

/** Tells what a child died of; nobody knows who sent SIGKILL, but a small process is killed by somebody outside. */
export const causeOf = ({ signal, ready, memory }: Death, memoryLimit: number): Cause => {
  if (memory > nearLimit(memoryLimit)) return 'memory'
  if (!ready) return 'start'
  return signal === null || CRASHES.has(signal) ? 'crash' : 'outside'
}

/** An image that crashes this many children is damaged. */
const MAX_CRASHES = 2
/** Deaths for other reasons after which an image is not tried again. */
const MAX_LOST_CHILDREN = 3

/** The failure after these deaths at one image; undefined while another try in a fresh child is worth it. */
export const failureAfter = (deaths: readonly Cause[], memoryLimit: number): Failure | undefined => {
  const count = (...causes: readonly Cause[]): number => deaths.filter((cause) => causes.includes(cause)).length
  if (count('memory') > 0) return fail('IMAGE_TOO_COMPLEX', memoryLimit)
  if (count('crash') >= MAX_CRASHES) return fail('SOURCE_DAMAGED')
  return count('outside', 'start') >= MAX_LOST_CHILDREN ? fail('WORKERS_LOST') : undefined
}
