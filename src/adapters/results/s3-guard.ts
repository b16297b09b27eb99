import { Failure } from '../../core/failure.ts'
import type { StoreWatch } from '../../ports/store-watch.ts'
import { isNotThere } from './bucket.ts'

/** So long after a failure nothing is asked of the store, so that requests do not each wait for it. */
const PAUSE_MS = 2000

/** Asks the store for something. */
export type StoreGuard = <T>(work: () => Promise<T>) => Promise<T>

/** Turns whatever the store does not answer into STORE_AWAY, and leaves it alone for a moment then. */
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
      // One slow answer says nothing of the next.
      if (failures > 1) pausedUntil = performance.now() + PAUSE_MS
      watch?.away(error)
      throw new Failure({ code: 'STORE_AWAY', args: [] }, error)
    }
  }
}
