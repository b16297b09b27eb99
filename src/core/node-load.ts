/** What a node tells the others of its load, so that they are fair together. */
export interface NodeLoad {
  /** Requests that wait for a worker. */
  readonly waiting: number
  /** Estimated work that was begun since it was told last, by account; in the unit of the engine's queue. */
  readonly begun: Readonly<Record<string, number>>
}
