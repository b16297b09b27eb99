import { Failure } from '../core/failure.ts'
import type { Made } from '../core/outcome.ts'

type Offer = (made: Made) => void

/** What is said of a result that a fault ended the search for. */
const WARNING = 'A fault of the server ended the search early: this is the best result it had.'

/**
 * Runs work that offers ever better results. When a fault of ours ends it, the best offered so far is the result, and `tell`
 * hears of the fault. What is wrong with the image (a {@link Failure} below 500) and the end of time (`signal`) are no faults.
 */
export const rescue = async (
  { offer, signal, tell }: { offer: Offer; signal: AbortSignal; tell: (fault: unknown) => void },
  work: (offer: Offer) => Promise<Made>,
): Promise<Made> => {
  let best: Made | undefined
  try {
    return await work((made) => {
      best = made
      offer(made)
    })
  } catch (error) {
    const isOurs = !(error instanceof Failure) || error.status >= 500
    if (best === undefined || !isOurs || signal.aborted) throw error
    tell(error)
    return { ...best, warnings: [...best.warnings, WARNING] }
  }
}
