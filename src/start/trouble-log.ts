import { isStoreAway } from '../core/failure.ts'
import type { Log } from '../ports/telemetry.ts'

/** Logs a problem that changes no response. */
export type TroubleLog = (what: string, error: unknown) => void

/**
 * Logs at `level`. Consequences of a store's outage are logged at `debug`, since the store's watch already logs the outage: one line
 * instead of hundreds.
 */
export const openTroubleLog =
  (log: Pick<Log, 'debug' | 'warn' | 'error'>, level: 'warn' | 'error'): TroubleLog =>
  (what, error) => {
    log[isStoreAway(error) ? 'debug' : level]({ err: error }, what)
  }
