import { CHECK_MS } from '../../../core/intervals.ts'

/** The recently reported load of the other nodes. */
export interface PeerLoad {
  /** Receives the number of requests that wait on a node. */
  readonly receiveLoad: (node: string, waiting: number) => void
  /** Whether on average at least one request waits on each other node. Background work then pauses. */
  readonly isBusy: () => boolean
}

/** Opens an empty table of other nodes. `now` returns ms. */
export const openPeerLoad = (now: () => number = () => performance.now()): PeerLoad => {
  const loads = new Map<string, { readonly waiting: number; readonly at: number }>()
  return {
    receiveLoad: (node, waiting) => void loads.set(node, { waiting, at: now() }),
    isBusy: () => {
      // A node that misses four reports is gone.
      for (const [node, { at }] of loads) if (now() - at > 4 * CHECK_MS) loads.delete(node)
      const waiting = [...loads.values()].reduce((sum, one) => sum + one.waiting, 0)
      return loads.size > 0 && waiting >= loads.size
    },
  }
}
