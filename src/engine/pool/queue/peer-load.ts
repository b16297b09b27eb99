/** The recently reported load of the other nodes. */
export interface PeerLoad {
  /** Receives the number of requests that wait on a node. */
  readonly hear: (node: string, waiting: number) => void
  /** Whether on average at least one request waits on each other node: background work then pauses. */
  readonly isBusy: () => boolean
}

/** ms without a report after which a node counts as gone. */
const SILENT_MS = 2000

/** Opens the table of other nodes, which is empty at first. */
export const openPeerLoad = (now: () => number = () => performance.now()): PeerLoad => {
  const told = new Map<string, { readonly waiting: number; readonly at: number }>()
  return {
    hear: (node, waiting) => void told.set(node, { waiting, at: now() }),
    isBusy: () => {
      for (const [node, { at }] of told) if (now() - at > SILENT_MS) told.delete(node)
      const waiting = [...told.values()].reduce((sum, one) => sum + one.waiting, 0)
      return told.size > 0 && waiting >= told.size
    },
  }
}
