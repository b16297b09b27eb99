/** The accounts that request work, and the workers that each of them may have. */
export interface ActiveAccounts {
  /** An account requests work now. */
  readonly seen: (account: string) => void
  readonly began: (account: string) => void
  readonly ended: (account: string) => void
  /** Whether one more job of this account may run: while other accounts are present, one worker is left to them. */
  readonly mayRun: (account: string) => boolean
  /** Calls once when present accounts may have left. */
  readonly later: (look: () => void) => void
  readonly close: () => void
}

/** ms after its last request for which a worker is still left to an account that sends one image after the other. */
const STAYS_MS = 10_000

/**
 * Leaves one worker to other accounts while any are present. A queue alone cannot do that: an account with one image would wait while
 * every worker has half a minute's work of another account. A single account has all workers, and a single worker is
 * shared. An account whose charges delay it is not left a worker.
 */
export const openActiveAccounts = (
  workers: number,
  isInDebt: (account: string) => boolean = () => false,
  now = () => performance.now(),
): ActiveAccounts => {
  const lastSeen = new Map<string, number>()
  const running = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined

  const forget = (): void => {
    for (const [account, at] of lastSeen) if (now() - at > STAYS_MS && !running.has(account)) lastSeen.delete(account)
  }
  const isAlone = (account: string): boolean => [...lastSeen.keys()].every((one) => one === account || isInDebt(one))
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
      // It stays present: its response is on the way, and the next request usually follows.
      if (lastSeen.has(account)) lastSeen.set(account, now())
    },
    mayRun: (account) => {
      forget()
      return workers === 1 || isAlone(account) || (running.get(account) ?? 0) < workers - 1
    },
    later: (look) => {
      clearTimeout(timer)
      timer = setTimeout(look, STAYS_MS).unref()
    },
    close: () => clearTimeout(timer),
  }
}
