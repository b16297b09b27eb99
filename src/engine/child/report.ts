import type { Deadline } from '../../core/deadline.ts'
import type { Made, Progress } from '../../core/outcome.ts'

/** Callbacks of work in a child. */
export interface Report {
  readonly deadline: Deadline
  /** ms of the job's fair part of the time, while other jobs wait; Infinity where it is absent. */
  readonly fairMs?: () => number
  /** A better result than those before; its file is complete. */
  readonly offer: (made: Made) => void
  readonly stage: (name: string, ms: number) => void
  /** Called for every step of progress. */
  readonly advance?: (progress: Progress) => void
  /** Called with what the operator should read in the log: a part of the installation is missing. */
  readonly notice?: (message: string) => void
}
