/** Which accounts ask for work, and how many workers each of them may have. */
export interface Presence {
  /** An account asks for work now. */
  readonly seen: (account: string) => void
  readonly began: (account: string) => void
  readonly ended: (account: string) => void
  /** Whether one more job of this account may run: while others are here, one worker is left to them. */
  readonly mayRun: (account: string) => boolean
  /** Calls once, when the accounts that are here now may have gone. */
  readonly later: (look: () => void) => void
  readonly close: () => void
}

/** ms after its last request that a worker is still left to an account: who sends one image after the other is here in between. */
const STAYS_MS = 10_000

/**
 * Leaves one worker to other accounts while there are any: a queue alone cannot help who asks for one image while every worker
 * has half a minute's work of somebody else before it. Who is alone has all workers, and a single worker is everybody's.
 */
export const openPresence = (workers: number, now = () => performance.now()): Presence => {
  const lastSeen = new Map<string, number>()
  const running = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined

  const forget = (): void => {
    for (const [account, at] of lastSeen) if (now() - at > STAYS_MS && !running.has(account)) lastSeen.delete(account)
  }
  return {
    seen: (account) => {
      lastSeen.delete(account)
      lastSeen.set(account, now())
    },
    began: (account) => void running.set(account, (running.get(account) ?? 0) + 1),
    ended: (account) => {
      const left = (running.get(account) ?? 1) - 1
      if (left > 0) running.set(account, left)
      else running.delete(account)
      // It goes on to be here: its answer is on the way, and the next request with it.
      if (lastSeen.has(account)) lastSeen.set(account, now())
    },
    mayRun: (account) => {
      forget()
      const others = lastSeen.size - (lastSeen.has(account) ? 1 : 0)
      return workers === 1 || others === 0 || (running.get(account) ?? 0) < workers - 1
    },
    later: (look) => {
      clearTimeout(timer)
      timer = setTimeout(look, STAYS_MS).unref()
    },
    close: () => clearTimeout(timer),
  }
}
