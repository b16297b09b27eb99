/** Runs work for the same key in sequence, and for different keys concurrently. */
export type InTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>

/** Creates the queues. A key without pending work takes no memory. */
export const makeTurns = (): InTurn => {
  const last = new Map<string, Promise<unknown>>()
  return (key, work) => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work)
    const settled: Promise<void> = mine
      .then(
        () => undefined,
        () => undefined,
      )
      .then(() => {
        if (last.get(key) === settled) last.delete(key)
      })
    last.set(key, settled)
    return mine
  }
}
