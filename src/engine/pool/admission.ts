import { type Failure, fail } from '../../core/failure.ts'

/** What decides whether one more job is taken in. Costs in megapixels of JPEG, times in ms. */
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
  /** Ms that the work ahead of an account's next job, and what is left of what runs, takes one worker. */
  readonly msAhead: (account: string) => number
}

export interface Admission {
  readonly isFull: (account: string) => boolean
  /** After how many seconds one more job of this account, which has so many ms, is worth another try; undefined: it is taken in. */
  readonly refusal: (account: string, ms: number) => number | undefined
  readonly overloaded: (account: string) => Failure
}

/** So many jobs of an account may wait however long it takes: clients send sixteen images at once (§7). */
const ALWAYS_ACCEPTED = 16
/** Seconds until another try is worth while: at least and at most, and while nothing is known of the pace. */
const AGAIN = { least: 1, most: 300, unknown: 5 }

const secondsOf = (ms: number): number =>
  ms <= 0 ? AGAIN.unknown : Math.min(AGAIN.most, Math.max(AGAIN.least, Math.ceil(ms / 1000)))

/** Decides by what waits and runs whether one more job is taken in: not by a full queue, nor where it would wait for all of its time. */
export const admissionTo = (backlog: Backlog): Admission => {
  const { workers, queueLimit, running, waiting } = backlog
  const isFull = (account: string): boolean =>
    running() >= workers && waiting() >= queueLimit && !backlog.isModest(account)
  const waitOf = (account: string): number =>
    running() < workers && waiting() === 0 ? 0 : backlog.msAhead(account) / Math.max(1, workers)
  // By the time that half of what is before it has been served there is room.
  const secondsUntilRoom = (account: string): number => secondsOf(waitOf(account) / 2)
  const refusal = (account: string, ms: number): number | undefined => {
    if (isFull(account)) return secondsUntilRoom(account)
    const wait = waitOf(account)
    const isTooLong = wait > ms && backlog.countOf(account) >= ALWAYS_ACCEPTED
    return isTooLong ? secondsOf(wait - ms) : undefined
  }
  return { isFull, refusal, overloaded: (account) => fail('OVERLOADED', secondsUntilRoom(account)) }
}
