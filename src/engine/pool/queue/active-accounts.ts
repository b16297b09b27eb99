/** Tracks which accounts request work, and limits the workers of each. */
export interface ActiveAccounts {
  /** An account requests work now. */
  readonly seen: (account: string) => void
  readonly began: (account: string) => void
  readonly ended: (account: string) => void
  /** Whether one more job of this account may run. While other accounts are active, one worker is reserved for them. */
  readonly mayRun: (account: string) => boolean
  /** Calls `check` once when active accounts may have become inactive. Replaces an earlier one. */
  readonly callWhenInactive: (check: () => void) => void
  readonly close: () => void
}

/** ms after its last request during which an account counts as active, for clients that send one image after the other. Chosen, not measured. */
const ACTIVE_MS = 10_000

/**
 * Reserves one worker for other active accounts. A queue alone cannot do that: an account with one image would wait while every worker
 * has half a minute's work of another account. An account without competitors may use every worker. With one worker there is no
 * reservation. There is also none for an account that charges delay.
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
    for (const [account, at] of lastSeen) if (now() - at > ACTIVE_MS && !running.has(account)) lastSeen.delete(account)
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
      // The account remains active: its response is on the way, and its next request usually follows.
      if (lastSeen.has(account)) lastSeen.set(account, now())
    },
    mayRun: (account) => {
      forget()
      return workers === 1 || isAlone(account) || (running.get(account) ?? 0) < workers - 1
    },
    callWhenInactive: (check) => {
      clearTimeout(timer)
      timer = setTimeout(check, ACTIVE_MS).unref()
    },
    close: () => clearTimeout(timer),
  }
}
