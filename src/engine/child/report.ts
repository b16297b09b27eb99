import type { Deadline } from '../../core/deadline.ts'
import type { Made, Progress } from '../../core/outcome.ts'

/** How work in a child tells of itself. */
export interface Report {
  readonly deadline: Deadline
  /** A better result than those before; its file is complete. */
  readonly offer: (made: Made) => void
  readonly stage: (name: string, ms: number) => void
  /** Called as often as there is something to tell. */
  readonly advance?: (progress: Progress) => void
  /** Called with what the operator should read in the log: a part of the installation is missing. */
  readonly notice?: (message: string) => void
}
