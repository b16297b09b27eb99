import type { Deadline } from '../src/core/deadline.ts'

/** A deadline whose clock stands still at `ms`, so that the machine's load cannot decide what a search leaves out. */
export const stillClock = (ms = 60_000): Deadline => ({
  remaining: () => ms,
  signal: new AbortController().signal,
})
