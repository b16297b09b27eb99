/** Runs pieces of work on one key one after the other; on different keys they know nothing of each other. */
export type InTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>

/** Makes the queues; a key that nobody waits for any more takes no memory. */
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
