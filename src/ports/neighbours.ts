import type { NodeLoad } from '../core/node-load.ts'

/** The other nodes of the installation. Implementations: adapters/jobs/*. */
export interface Neighbours {
  /** From here on the others are told of this node's load (`mine`) again and again, and this node hears theirs. What is lost is lost. */
  readonly exchange: (mine: () => NodeLoad, hear: (node: string, load: NodeLoad) => void) => void
  readonly close: () => void
}
