/** Hears whether a store that several nodes share answers. Implementation: adapters/telemetry/store-watch.ts. */
export interface StoreWatch {
  /** It did not answer; `why` goes to the log once, until it is back. */
  readonly away: (why: unknown) => void
  /** It answered. */
  readonly back: () => void
}
