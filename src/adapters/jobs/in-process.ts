import type { Claims, JobQueue } from '../../ports/jobs.ts'
import type { Neighbours } from '../../ports/neighbours.ts'

/** Claims of a single node: all are granted, since its own single flight suffices. */
export const openInProcessClaims = (): Claims => ({
  shared: false,
  claim: async () => ({ unheldMs: 0, [Symbol.asyncDispose]: async () => undefined }),
  whenFree: async () => undefined,
})

/** The queue of a single node: its jobs exist only in its own memory. */
export const openInProcessQueue = (): JobQueue => ({
  announce: async () => undefined,
  end: async () => undefined,
  find: async () => 'unknown',
  work: () => undefined,
  close: async () => undefined,
})

/** The neighbours of a single node: none. */
export const openNoNeighbours = (): Neighbours => ({ exchange: () => undefined, close: () => undefined })
