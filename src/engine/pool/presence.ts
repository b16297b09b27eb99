/** The accounts that request work, and the workers that each of them may have. */
export interface Presence {
  /** An account requests work now. */
  readonly seen: (account: string) => void
  readonly began: (account: string) => void
  readonly ended: (account: string) => void
  /** An account abandoned work after a worker spent this time on it: it rests for a multiple of that while other accounts are present. */
  readonly left: (account: string, ms: number) => void
  /** Whether one more job of this account may run: while other accounts are present, one worker is left to them. */
  readonly mayRun: (account: string) => boolean
  /** Calls once when present accounts may have left, or a resting one has rested. */
  readonly later: (look: () => void) => void
  readonly close: () => void
}

/** ms after its last request for which a worker is still left to an account that sends one image after the other. */
const STAYS_MS = 10_000
/** Rest of an account, as a multiple of its abandoned work: an account that always abandons its work gets a quarter of what others get. */
const REST = 3
/** Bounds the rest, so that one long job abandoned by accident does no harm. */
const LONGEST_REST_MS = 5_000

/**
 * Leaves one worker to other accounts while any are present: a queue alone cannot help an account with one image while
 * every worker has half a minute's work of another account. A single account has all workers, and a single worker is
 * shared. An account that abandons its work rests, and does not count as present.
 */
export const openPresence = (workers: number, now = () => performance.now()): Presence => {
  const lastSeen = new Map<string, number>()
  const running = new Map<string, number>()
  const restsUntil = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined

  const forget = (): void => {
    for (const [account, at] of lastSeen) if (now() - at > STAYS_MS && !running.has(account)) lastSeen.delete(account)
    for (const [account, until] of restsUntil) if (until <= now()) restsUntil.delete(account)
  }
  const othersThan = (account: string): number =>
    [...lastSeen.keys()].filter((one) => one !== account && !restsUntil.has(one)).length
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
    left: (account, ms) => {
      const from = Math.max(now(), restsUntil.get(account) ?? 0)
      restsUntil.set(account, Math.min(from + REST * ms, now() + LONGEST_REST_MS))
    },
    mayRun: (account) => {
      forget()
      if (othersThan(account) === 0) return true
      return !restsUntil.has(account) && (workers === 1 || (running.get(account) ?? 0) < workers - 1)
    },
    later: (look) => {
      clearTimeout(timer)
      const rests = [...restsUntil.values()].map((until) => until - now())
      timer = setTimeout(look, Math.max(1, Math.min(STAYS_MS, ...rests))).unref()
    },
    close: () => clearTimeout(timer),
  }
}
