import type { Claims, JobQueue } from '../../ports/jobs.ts'
import type { Neighbours } from '../../ports/neighbours.ts'

/** Claims of a node that is alone: its own single flight is all there is. */
export const openInProcessClaims = (): Claims => ({
  shared: false,
  claim: async () => ({ unheldMs: 0, [Symbol.asyncDispose]: async () => undefined }),
  whenFree: async () => undefined,
})

/** The queue of a node that is alone: it knows all of its jobs itself, and they end with it. */
export const openInProcessQueue = (): JobQueue => ({
  announce: async () => undefined,
  end: async () => undefined,
  find: async () => 'unknown',
  work: () => undefined,
  close: async () => undefined,
})

/** Neighbours of a node that is alone: none. */
export const openNoNeighbours = (): Neighbours => ({ exchange: () => undefined, close: () => undefined })
