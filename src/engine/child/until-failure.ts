import { hasOwnResponse } from '../../support/exhausted.ts'

/** Yields the steps of a search. If its encoder throws, ends the search and passes the error to `onFailure`. */
export async function* untilFailure<T>(
  search: AsyncIterable<T>,
  onFailure: (error: unknown) => void,
): AsyncGenerator<T> {
  try {
    yield* search
  } catch (error) {
    if (hasOwnResponse(error)) throw error
    onFailure(error)
  }
}
