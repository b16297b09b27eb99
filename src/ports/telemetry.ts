import type { Progress } from '../core/outcome.ts'

/** What the service tells of itself: logs and numbers. Implementations: adapters/telemetry/*. */

/** Anything that JSON can hold; an Error under `err` is written with its stack. */
export type LogFields = Readonly<Record<string, unknown>>

/** Structured log. User info in addresses (`https://user:password@…`) never gets into it, whatever field it stands in. */
export interface Log {
  readonly debug: (fields: LogFields, message: string) => void
  readonly info: (fields: LogFields, message: string) => void
  readonly warn: (fields: LogFields, message: string) => void
  readonly error: (fields: LogFields, message: string) => void
  /** A log that adds these fields to every line, as the request id. */
  readonly child: (fields: LogFields) => Log
}

/** A request that was answered. */
export interface Answered {
  /** One of a few fixed names, never a path: each one is a series of its own. */
  readonly route: string
  readonly status: number
  readonly milliseconds: number
  /** Body bytes received from the client and sent to it. */
  readonly bytesIn?: number
  readonly bytesOut?: number
}

/** A result that was made, however it is delivered. */
export interface Optimised {
  readonly format: string
  readonly sourceBytes: number
  readonly resultBytes: number
  readonly encodes: number
  /** Undefined where nothing was measured. */
  readonly meetsTarget?: boolean
  /** SSIMULACRA 2.1, and Butteraugli's 3-norm; undefined where they were not measured. */
  readonly score?: number
  readonly butteraugli?: number
}

/** An optimised image that was answered, made just now or stored before. */
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
  /** A source could not be fetched; `kind` is the name of the failure. */
  readonly fetchFailed: (kind: string) => void
  /** Steps done in a phase of long work, such as frames encoded: shows that it moves. */
  readonly advanced: (phase: string, steps: number) => void
}

/** What is so at this moment, asked for when the metrics are read. */
export interface Readings {
  /** Jobs that wait for a child process. */
  readonly queued: number
  readonly busyWorkers: number
  readonly workers: number
  /** Child processes replaced since the start: crashed, hung or cancelled. */
  readonly restarts: number
  /** Work under way, and of it what outlasts its request (303). */
  readonly jobs: number
  readonly detachedJobs: number
  readonly oldestJobSeconds: number
  /** How far long work has got, summed up by phase. */
  readonly phases?: readonly Progress[]
}
