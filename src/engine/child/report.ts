import type { Deadline } from '../../core/deadline.ts'
import type { Progress, ResultFile } from '../../core/outcome.ts'

/** Callbacks of work in a child. */
export interface Report {
  readonly deadline: Deadline
  /** ms of the job's fair part of the time, while other jobs wait; Infinity where it is absent. */
  readonly fairMs?: () => number
  /** Called with each result that is better than the earlier ones, when its file is complete. */
  readonly offer: (result: ResultFile) => void
  /** Called with the name and duration of each stage that ends. */
  readonly stage: (name: string, ms: number) => void
  /** Called for every step of progress. */
  readonly advance?: (progress: Progress) => void
  /** Called with a message for the operator's log, such as a missing part of the installation. */
  readonly notice?: (message: string) => void
}
