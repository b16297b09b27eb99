/** The result of a race that the timer or signal won. */
export const OVER = Symbol('over')
export type Over = typeof OVER

/** A timer for a race. `over` resolves after `ms`, unless it is disposed of. */
export const timer = (ms: number): Disposable & { readonly over: Promise<Over> } => {
  const { promise, resolve } = Promise.withResolvers<Over>()
  const clock = setTimeout(() => resolve(OVER), Math.max(0, ms))
  return { over: promise, [Symbol.dispose]: () => clearTimeout(clock) }
}

/** Settles like `work`, or resolves with OVER when `signal` fires first. Leaves no listener on the signal. */
export const raceSignal = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T | Over> => {
  const { promise, resolve } = Promise.withResolvers<Over>()
  const end = (): void => resolve(OVER)
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', end)
  }
}
