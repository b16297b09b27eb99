import type { Stores } from './stores.ts'

/** ms between two checks. An idle node notices an outage within twice this time. */
const EVERY_MS = 5_000

/**
 * Pings the stores regularly, so that `whittle_store_up` is right on a node without requests. `adapters/jobs/redis-memory.ts` already
 * asks Redis every second. Returns a function that stops it.
 */
export const askStores = (
  { accounts, results }: Pick<Stores, 'accounts' | 'results'>,
  everyMs = EVERY_MS,
): (() => void) => {
  // The stores' watches report outages.
  const ask = (): void => {
    for (const ping of [accounts.ping, results.ping]) ping?.().catch(() => undefined)
  }
  const asking = setInterval(ask, everyMs).unref()
  return () => clearInterval(asking)
}
