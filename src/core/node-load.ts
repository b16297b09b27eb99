/** The load of a node, sent to the other nodes for fairness between accounts. */
export interface NodeLoad {
  /** Requests that wait for a worker. */
  readonly waiting: number
  /** Estimated work started since the previous message, by account, in the unit of the engine's queue. */
  readonly begun: Readonly<Record<string, number>>
}
