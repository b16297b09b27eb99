import { Failure } from '../../core/failure.ts'
import { exhaustion } from '../../support/exhausted.ts'

/** A failure that has an answer of its own: one of ours, or a machine that has run out of something. */
const hasAnswer = (error: unknown): boolean => error instanceof Failure || exhaustion(error) !== undefined

/** Yields what a search yields. Where its encoder throws, the search ends and `onFailure` receives the error. */
export async function* untilFailure<T>(
  search: AsyncIterable<T>,
  onFailure: (error: unknown) => void,
): AsyncGenerator<T> {
  try {
    yield* search
  } catch (error) {
    if (hasAnswer(error)) throw error
    onFailure(error)
  }
}
