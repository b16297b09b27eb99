import { Failure } from '../core/failure.ts'
import type { Log } from '../ports/telemetry.ts'

/** Logs what went wrong without changing an answer. */
export type TroubleLog = (what: string, error: unknown) => void

/**
 * Logs at `level`. A store that does not answer is logged once, by its watch: what follows from that for single requests has the
 * level `debug`, so that an outage is one line and not hundreds.
 */
export const openTroubleLog =
  (log: Pick<Log, 'debug' | 'warn' | 'error'>, level: 'warn' | 'error'): TroubleLog =>
  (what, error) => {
    const isOutage = error instanceof Failure && error.code === 'STORE_AWAY'
    log[isOutage ? 'debug' : level]({ err: error }, what)
  }
