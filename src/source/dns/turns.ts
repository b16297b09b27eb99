/** Limits concurrent work for each owner. Work beyond the limit waits for its own owner's turn, and never for another owner's. */
export interface Turns {
  /** Resolves with a function that ends the turn. Rejects with the signal's reason. */
  readonly take: (owner: string, signal: AbortSignal) => Promise<() => void>
}

interface Owner {
  running: number
  readonly waiting: Set<() => void>
}

/** Opens turns. `most` is the number of concurrent turns of each owner. */
export const openTurns = (most: number): Turns => {
  const owners = new Map<string, Owner>()

  const giveBack = (name: string, owner: Owner): void => {
    const [next] = owner.waiting
    if (next !== undefined) {
      owner.waiting.delete(next)
      next()
      return
    }
    owner.running -= 1
    if (owner.running === 0) owners.delete(name)
  }

  const wait = (owner: Owner, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const start = (): void => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = (): void => {
        owner.waiting.delete(start)
        reject(signal.reason)
      }
      signal.addEventListener('abort', leave, { once: true })
      owner.waiting.add(start)
    })

  return {
    take: async (name, signal) => {
      signal.throwIfAborted()
      const owner = owners.get(name) ?? { running: 0, waiting: new Set() }
      owners.set(name, owner)
      if (owner.running < most) owner.running += 1
      else await wait(owner, signal)
      return () => giveBack(name, owner)
    },
  }
}
