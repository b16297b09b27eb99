import { Failure } from '../core/failure.ts'
import type { Made } from '../core/outcome.ts'

type Offer = (made: Made) => void

/** What is said of a result that a fault ended the search for, and of one that searching further had no memory for. */
const FAULT = 'A fault of the server ended the search early: this is the best result it had.'
const MEMORY = 'The image is so large that searching further took too much memory: this is the best result so far.'

/** Why the best so far goes out although the work failed; undefined where it must not: what is wrong with the image is told. */
const excuse = (error: unknown, best: Made | undefined): string | undefined => {
  if (best === undefined) return undefined
  if (!(error instanceof Failure) || error.status >= 500) return FAULT
  // The source's own bytes are offered before anybody knows whether they can be decoded.
  return error.code === 'IMAGE_TOO_COMPLEX' && best.untouched !== true ? MEMORY : undefined
}

/**
 * Runs work that offers ever better results. When a fault of ours or a lack of memory ends it, the best offered so far is the
 * result, and `tell` hears of the fault. What is wrong with the image (another {@link Failure} below 500) and the end of time
 * (`signal`) are no excuses.
 */
export const bestEffort = async (
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
    const warning = excuse(error, best)
    if (best === undefined || warning === undefined || signal.aborted) throw error
    if (warning === FAULT) tell(error)
    return { ...best, warnings: [...best.warnings, warning] }
  }
}
