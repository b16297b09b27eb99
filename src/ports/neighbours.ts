import type { NodeLoad } from '../core/node-load.ts'

/** The other nodes of the installation. Implementations: adapters/jobs/*. */
export interface Neighbours {
  /** Starts sending this node's load (`mine`) repeatedly and receiving that of others. Lost messages are not resent. */
  readonly exchange: (mine: () => NodeLoad, receiveLoad: (node: string, load: NodeLoad) => void) => void
  readonly close: () => void
}
