import { MAX_INT32 } from './units.ts'

/** Remaining time, and a signal that fires when it ends or the work is cancelled. */
export interface Deadline {
  /** Remaining milliseconds, never negative. */
  readonly remaining: () => number
  readonly signal: AbortSignal
}

/** A deadline in `ms` that also ends when `parent` aborts. Its timer does not keep the process alive. */
export const deadlineIn = (ms: number, parent?: AbortSignal): Deadline => {
  const end = performance.now() + ms
  const own = AbortSignal.timeout(Math.ceil(Math.max(0, Math.min(ms, MAX_INT32))))
  return {
    remaining: () => Math.max(0, end - performance.now()),
    signal: parent === undefined ? own : AbortSignal.any([own, parent]),
  }
}
