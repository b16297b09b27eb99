/** Branch and bound over the searches of several formats, the one with the lowest bound first (Lawler and Wood 1966). */
import type { Candidate, Step } from '../../formats/format.ts'

/** The best result that searches compete for. */
export interface Contest {
  /** Bytes of the best file so far. */
  readonly bytesToBeat: () => number
  readonly offer: (candidate: Candidate) => Promise<void>
  /** Whether all searches end now. */
  readonly isOver: () => boolean
}

/**
 * Resumes the search with the lowest estimate, the first of several, until every estimate exceeds the best file. A search that has yielded
 * no estimate counts as 0 bytes: it runs until it yields one.
 */
export const searchBestFirst = async (
  searches: readonly AsyncGenerator<Step>[],
  { bytesToBeat, offer, isOver }: Contest,
): Promise<void> => {
  const estimates = new Map(searches.map((search) => [search, 0]))
  try {
    while (estimates.size > 0 && !isOver()) {
      const [search, estimate] = [...estimates].reduce((lowest, other) => (other[1] < lowest[1] ? other : lowest))
      if (estimate >= bytesToBeat()) return
      const { done, value: step } = await search.next()
      if (done === true) estimates.delete(search)
      else if (step.kind === 'estimate') estimates.set(search, step.bytes)
      else await offer(step)
    }
  } finally {
    for (const search of estimates.keys()) await search.return(undefined)
  }
}
