import { Failure } from '../../core/failure.ts'
import { RETRY_MS } from '../../core/intervals.ts'
import type { StoreWatch } from '../../ports/store-watch.ts'
import { isNotThere } from './bucket.ts'

/** Runs a request to the store. Fails with STORE_AWAY when the store does not answer. */
export type StoreGuard = <T>(work: () => Promise<T>) => Promise<T>

/** Creates a guard. After repeated failures it pauses for {@link RETRY_MS}. */
export const makeGuard = (watch: StoreWatch | undefined): StoreGuard => {
  let pausedUntil = 0
  let failures = 0
  let reason: unknown
  return async (work) => {
    if (performance.now() < pausedUntil) throw new Failure({ code: 'STORE_AWAY', args: [] }, reason)
    try {
      const done = await work()
      failures = 0
      watch?.back()
      return done
    } catch (error) {
      if (isNotThere(error)) throw error
      reason = error
      failures += 1
      // A single failure may be one slow response.
      if (failures > 1) pausedUntil = performance.now() + RETRY_MS
      watch?.away(error)
      throw new Failure({ code: 'STORE_AWAY', args: [] }, error)
    }
  }
}
