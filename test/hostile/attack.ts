import type { RunningService } from '../../scripts/corpus/service.ts'

/** Arguments of an attack: a service of its own, and its limits. */
export interface Arena {
  readonly service: RunningService
  /** Host and port of the service. */
  readonly port: number
  /** A few tries of each kind only, for every commit. */
  readonly short: boolean
  /** Seed of random choices: the same seed gives the same tries. */
  readonly seed: number
  /** Says what is being tried: the table names what the largest child was at. */
  readonly trying: (what: string) => void
}

/** Result of an attack. */
export interface Finding {
  readonly tries: number
  /** Faults, in words that identify the try; empty when the service held. */
  readonly problems: readonly string[]
  /** Measurements, in words. */
  readonly notes?: readonly string[]
}

/** One class of attack. A new one is a file in `attacks/` and a row in `attacks.ts`. */
export interface Attack {
  readonly name: string
  /** More of the service's environment than its defaults. */
  readonly settings?: Readonly<Record<string, string>>
  /** Left out of the short form: it takes minutes, or judges by times that a busy machine decides. */
  readonly long?: true
  readonly run: (arena: Arena) => Promise<Finding>
}

/** Statuses that the contract documents; anything else is a problem, and so is a fault of ours. */
const DOCUMENTED: ReadonlySet<number> = new Set([
  200, 204, 303, 304, 400, 402, 403, 404, 405, 408, 413, 415, 422, 429, 501, 502, 503, 504,
])

/** Whether a status may come out of an attack. */
export const isDocumented = (status: number): boolean => DOCUMENTED.has(status)
