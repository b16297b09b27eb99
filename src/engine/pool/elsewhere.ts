/** How busy the other nodes are, as far as they told lately. */
export interface Elsewhere {
  /** A node told how many requests wait there. */
  readonly hear: (node: string, waiting: number) => void
  /** Whether somebody waits on each of the others in the mean: what nobody waits for then leaves the machines alone. */
  readonly isBusy: () => boolean
}

/** ms after which a node that tells nothing any more is taken for gone. */
const SILENT_MS = 2000

/** Opens what is known of other nodes: at first nothing, as of a node that is alone. */
export const openElsewhere = (now: () => number = () => performance.now()): Elsewhere => {
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
