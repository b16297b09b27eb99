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
}

/** Runs one stage of the work and reports how long it took. */
export const staged = async <T>(
  report: Pick<Report, 'stage'>,
  name: string,
  work: () => Promise<T> | T,
): Promise<T> => {
  const since = performance.now()
  try {
    return await work()
  } finally {
    report.stage(name, performance.now() - since)
  }
}
