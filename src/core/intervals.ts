/** Intervals and time limits that several modules share. Chosen, not measured, except where a line says otherwise. */
import { HOUR_MS } from './units.ts'

/** ms between two looks at a flag or a counter of this machine. */
export const LOOK_MS = 25
/** ms between two checks of what another node or process changes, where no event reports it. */
export const CHECK_MS = 500
/** ms between two checks of what changes rarely, or lines of a log on the same work. */
export const RARE_CHECK_MS = 5000
/** ms that a store, another server or a tool may take to begin its answer. */
export const ANSWER_MS = 5000
/** ms between two updates of progress that is shown. */
export const UPDATE_MS = 200
/** ms without progress after which a transfer counts as broken. */
export const STALLED_MS = 10_000
/** ms without work, requests, keystrokes or changes of a file after which something counts as idle, as "network idle" in browser tools. */
export const IDLE_MS = 500
/** ms between two attempts at a store that failed. */
export const RETRY_MS = 2000
/** ms that a whole transfer may take: an object of a store, a page with its files. */
export const TRANSFER_MS = 30_000
/** ms within which every response starts (§5.1), whatever the limits for fetching are. */
export const LATEST_START_MS = 25_000
/** ms that work may take that no client waits for. Longer than any request. */
export const MAX_WORK_MS = 600_000
/** ms left of a deadline below which no further step begins. */
export const MIN_STEP_MS = 400

/** ms that the end of a job is remembered. §5.1 of the contract requires an hour. */
export const OUTCOME_MS = 2 * HOUR_MS
/** Entries that a node remembers at most of one kind: ends of jobs, accounts, addresses, sources. The oldest are removed first. */
export const MAX_REMEMBERED = 20_000
