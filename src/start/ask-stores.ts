import { RARE_CHECK_MS } from '../core/intervals.ts'
import type { Stores } from './stores.ts'

/**
 * Pings the stores regularly, so that `whittle_store_up` is right on a node without requests. `adapters/jobs/redis-memory.ts` already
 * asks Redis every second. Returns a function that stops it.
 */
export const askStores = (
  { accounts, results }: Pick<Stores, 'accounts' | 'results'>,
  everyMs = RARE_CHECK_MS,
): (() => void) => {
  // The stores' watches report outages.
  const ask = (): void => {
    for (const ping of [accounts.ping, results.ping]) ping?.().catch(() => undefined)
  }
  const asking = setInterval(ask, everyMs).unref()
  return () => clearInterval(asking)
}
