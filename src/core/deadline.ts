/** Time as an argument: how much is left, and a signal that fires when it is over or the work is no longer wanted. */
export interface Deadline {
  /** Milliseconds left, never negative. */
  readonly remaining: () => number
  readonly signal: AbortSignal
}

/** A deadline `ms` from now that also ends when `parent` aborts. The timer does not keep the process alive. */
export const deadlineIn = (ms: number, parent?: AbortSignal): Deadline => {
  const end = performance.now() + ms
  const own = AbortSignal.timeout(Math.ceil(Math.max(0, Math.min(ms, 2 ** 31 - 1))))
  return {
    remaining: () => Math.max(0, end - performance.now()),
    signal: parent === undefined ? own : AbortSignal.any([own, parent]),
  }
}
