import type { Stores } from './stores.ts'

/** ms: an idle node notices a store that went away within twice this. */
const EVERY_MS = 5_000

/**
 * Asks the stores at intervals whether they answer, so that `whittle_store_up` is right on a node without requests. Redis is
 * asked every second for another reason (`adapters/jobs/redis-memory.ts`). Returns what ends it.
 */
export const askStores = (
  { accounts, results }: Pick<Stores, 'accounts' | 'results'>,
  everyMs = EVERY_MS,
): (() => void) => {
  // Their watches report what they find.
  const ask = (): void => {
    for (const ping of [accounts.ping, results.ping]) ping?.().catch(() => undefined)
  }
  const asking = setInterval(ask, everyMs).unref()
  return () => clearInterval(asking)
}
