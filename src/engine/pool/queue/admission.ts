import { type Failure, fail } from '../../../core/failure.ts'

/** The state that decides whether a job is accepted. Costs in megapixels of JPEG, times in ms. */
export interface Backlog {
  readonly workers: number
  /** Jobs that may wait. */
  readonly queueLimit: number
  readonly running: () => number
  readonly waiting: () => number
  /** Jobs of an account that wait. */
  readonly countOf: (account: string) => number
  /** The account has less than its share of what waits and runs. */
  readonly isModest: (account: string) => boolean
  /** ms of one worker for the work ahead of an account's next job, with the rest of the running jobs. */
  readonly msAhead: (account: string) => number
}

export interface Admission {
  readonly isFull: (account: string) => boolean
  /** Seconds after which another try of this account with this much time is worth it; undefined: it is accepted. */
  readonly refusal: (account: string, ms: number) => number | undefined
  readonly overloaded: (account: string) => Failure
}

/** Jobs of an account that may wait regardless of the time: clients send sixteen images at once (§7). */
const ALWAYS_ACCEPTED = 16
/** Seconds until another try: the limits, and the value while the pace is unknown. */
const AGAIN = { least: 1, most: 300, unknown: 5 }

const secondsOf = (ms: number): number =>
  ms <= 0 ? AGAIN.unknown : Math.min(AGAIN.most, Math.max(AGAIN.least, Math.ceil(ms / 1000)))

/** Refuses jobs that find the queue full or would wait for all of their time. */
export const admissionTo = (backlog: Backlog): Admission => {
  const { workers, queueLimit, running, waiting } = backlog
  const isFull = (account: string): boolean =>
    running() >= workers && waiting() >= queueLimit && !backlog.isModest(account)
  const waitOf = (account: string): number =>
    running() < workers && waiting() === 0 ? 0 : backlog.msAhead(account) / Math.max(1, workers)
  // When half of the work ahead has been served there is room.
  const secondsUntilRoom = (account: string): number => secondsOf(waitOf(account) / 2)
  const refusal = (account: string, ms: number): number | undefined => {
    if (isFull(account)) return secondsUntilRoom(account)
    const wait = waitOf(account)
    const isTooLong = wait > ms && backlog.countOf(account) >= ALWAYS_ACCEPTED
    return isTooLong ? secondsOf(wait - ms) : undefined
  }
  return { isFull, refusal, overloaded: (account) => fail('OVERLOADED', secondsUntilRoom(account)) }
}
