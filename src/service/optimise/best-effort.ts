import { Failure } from '../../core/failure.ts'
import type { ResultFile } from '../../core/outcome.ts'

type Offer = (result: ResultFile) => void

/** Warnings of a result whose search ended early. */
const FAULT = 'A fault of the server ended the search early: this is the best result it had.'
const MEMORY = 'The image is so large that searching further took too much memory: this is the best result so far.'

/** Returns the Warning for the best result so far after a failure, or undefined if the failure itself is the response. */
const warningAfter = (error: unknown, best: ResultFile | undefined): string | undefined => {
  if (best === undefined) return undefined
  if (!(error instanceof Failure) || error.status >= 500) return FAULT
  // The source's own bytes are offered before they are decoded, so they may not be a valid image.
  return error.code === 'IMAGE_TOO_COMPLEX' && best.untouched !== true ? MEMORY : undefined
}

/**
 * Runs work that offers ever better results. When a fault or a lack of memory ends it, returns the best offer so far. Calls `onFault`
 * with a fault. Throws for an invalid image (another {@link Failure} below 500) and when `signal` has fired.
 */
export const bestEffort = async (
  { offer, signal, onFault }: { offer: Offer; signal: AbortSignal; onFault: (fault: unknown) => void },
  work: (offer: Offer) => Promise<ResultFile>,
): Promise<ResultFile> => {
  let best: ResultFile | undefined
  try {
    return await work((result) => {
      best = result
      offer(result)
    })
  } catch (error) {
    const warning = warningAfter(error, best)
    if (best === undefined || warning === undefined || signal.aborted) throw error
    if (warning === FAULT) onFault(error)
    return { ...best, warnings: [...best.warnings, warning] }
  }
}
