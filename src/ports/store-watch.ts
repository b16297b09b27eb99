/** Receives whether a store that several nodes share responds. Implementation: adapters/telemetry/store-watch.ts. */
export interface StoreWatch {
  /** The store did not respond. `why` is logged once, until it responds again. */
  readonly away: (why: unknown) => void
  /** The store responded. */
  readonly back: () => void
}
