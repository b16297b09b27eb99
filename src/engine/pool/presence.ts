/** Which accounts ask for work, and how many workers each of them may have. */
export interface Presence {
  /** An account asks for work now. */
  readonly seen: (account: string) => void
  readonly began: (account: string) => void
  readonly ended: (account: string) => void
  /** An account left work that had taken a worker for so many ms: it rests for a multiple of that, while others are here. */
  readonly left: (account: string, ms: number) => void
  /** Whether one more job of this account may run: while others are here, one worker is left to them. */
  readonly mayRun: (account: string) => boolean
  /** Calls once, when the accounts that are here now may have gone, or one that rests has rested. */
  readonly later: (look: () => void) => void
  readonly close: () => void
}

/** ms after its last request that a worker is still left to an account: who sends one image after the other is here in between. */
const STAYS_MS = 10_000
/** So many times as long as its abandoned work took an account rests: who asks and leaves, again and again, gets a quarter of what those get who wait. */
const REST = 3
/** ms; whoever leaves one long job by accident is not shut out. */
const LONGEST_REST_MS = 5_000

/**
 * Leaves one worker to other accounts while there are any: a queue alone cannot help who asks for one image while every worker
 * has half a minute's work of somebody else before it. Who is alone has all workers, and a single worker is everybody's. Who leaves its work rests
 * meanwhile, and is not here for the others.
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
      // It goes on to be here: its answer is on the way, and the next request with it.
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
