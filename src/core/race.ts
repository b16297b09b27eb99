/** What a race comes to when its time was over before the work was done. */
export const OVER = Symbol('over')
export type Over = typeof OVER

/** A timer to race against: `over` resolves after `ms`, unless it is disposed of before. */
export const timer = (ms: number): Disposable & { readonly over: Promise<Over> } => {
  const { promise, resolve } = Promise.withResolvers<Over>()
  const clock = setTimeout(() => resolve(OVER), Math.max(0, ms))
  return { over: promise, [Symbol.dispose]: () => clearTimeout(clock) }
}

/** Settles as `work` does, or resolves with OVER when `signal` fires first. Nothing is left listening on the signal. */
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
