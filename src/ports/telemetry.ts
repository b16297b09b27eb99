import type { Progress } from '../core/outcome.ts'

/** Logs and metrics of the service. Implementations: adapters/telemetry/*. */

/** JSON data. An Error under `err` is written with its stack. */
export type LogFields = Readonly<Record<string, unknown>>

/** Structured log. User info in addresses (`https://user:password@…`) is removed from every field. */
export interface Log {
  readonly debug: (fields: LogFields, message: string) => void
  readonly info: (fields: LogFields, message: string) => void
  readonly warn: (fields: LogFields, message: string) => void
  readonly error: (fields: LogFields, message: string) => void
  /** A log that adds these fields to every line, such as the request id. */
  readonly child: (fields: LogFields) => Log
}

/** An answered request. */
export interface Answered {
  /** A fixed name, never a path, since each name is a time series. */
  readonly route: string
  readonly status: number
  /** The code of the failure that it was answered with (docs/errors.md); absent where there was none. */
  readonly failure?: string
  readonly milliseconds: number
  /** Body bytes received from the client and sent to it. */
  readonly bytesIn?: number
  readonly bytesOut?: number
}

/** A computed result, however it is delivered. */
export interface Optimised {
  readonly format: string
  readonly sourceBytes: number
  readonly resultBytes: number
  readonly encodes: number
  /** undefined without a measurement. */
  readonly meetsTarget?: boolean
  /** SSIMULACRA 2.1 and Butteraugli's 3-norm. undefined without a measurement. */
  readonly score?: number
  readonly butteraugli?: number
}

/** An image response, computed or from the store. */
export interface Served {
  readonly account: string
  readonly stored: boolean
  readonly sourceBytes: number
  readonly resultBytes: number
}

export interface Metrics {
  readonly answered: (request: Answered) => void
  /** Time spent in one stage: fetch, queue, decode, resize, search, encode … */
  readonly stage: (name: string, milliseconds: number) => void
  readonly optimised: (result: Optimised) => void
  readonly served: (image: Served) => void
  /** A source could not be fetched. `kind`: the name of the failure. */
  readonly fetchFailed: (kind: string) => void
  /** Steps done in a phase of long work, such as encoded frames. Shows progress. */
  readonly advanced: (phase: string, steps: number) => void
}

/** Current values, read when the metrics are exported. */
export interface Readings {
  /** Jobs that wait for a child process. */
  readonly queued: number
  readonly busyWorkers: number
  readonly workers: number
  /** Child processes replaced since the start: crashed, hung or cancelled. */
  readonly restarts: number
  /** Running work, and the part of it that outlasts its request (303). */
  readonly jobs: number
  readonly detachedJobs: number
  readonly oldestJobSeconds: number
  /** Images of quotas that requests of this node hold, and charges in its journal. */
  readonly reservations: number
  readonly journaled: number
  /** Progress of long work, summed by phase. */
  readonly phases?: readonly Progress[]
}
