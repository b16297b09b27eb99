/** Limits the concurrent work of each owner. Further work waits for earlier work of the same owner only. */
export interface OwnerLimits {
  /** Resolves with a function that releases the slot. Rejects with the signal's reason. */
  readonly acquire: (owner: string, signal: AbortSignal) => Promise<() => void>
}

interface Owner {
  running: number
  readonly waiting: Set<() => void>
}

/** Opens the limits. `maxConcurrent` is the number of slots of each owner. */
export const openOwnerLimits = (maxConcurrent: number): OwnerLimits => {
  const owners = new Map<string, Owner>()

  const release = (name: string, owner: Owner): void => {
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
    acquire: async (name, signal) => {
      signal.throwIfAborted()
      const owner = owners.get(name) ?? { running: 0, waiting: new Set() }
      owners.set(name, owner)
      if (owner.running < maxConcurrent) owner.running += 1
      else await wait(owner, signal)
      return () => release(name, owner)
    },
  }
}
