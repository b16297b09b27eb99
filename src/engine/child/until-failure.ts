import { Failure } from '../../core/failure.ts'
import { exhaustion } from '../../support/exhausted.ts'

/** Whether an error has its own response: a Failure, or an exhausted resource of the machine. */
const isReportable = (error: unknown): boolean => error instanceof Failure || exhaustion(error) !== undefined

/** Yields the steps of a search. If its encoder throws, ends the search and passes the error to `onFailure`. */
export async function* untilFailure<T>(
  search: AsyncIterable<T>,
  onFailure: (error: unknown) => void,
): AsyncGenerator<T> {
  try {
    yield* search
  } catch (error) {
    if (isReportable(error)) throw error
    onFailure(error)
  }
}
