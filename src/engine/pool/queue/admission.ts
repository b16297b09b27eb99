import { type Failure, fail } from '../../../core/failure.ts'

/** The state that decides whether a job is accepted. Costs in megapixels of JPEG, times in ms. */
export interface Backlog {
  readonly workers: number
  /** Maximum number of waiting jobs. */
  readonly queueLimit: number
  readonly running: () => number
  readonly waiting: () => number
  /** Number of waiting jobs of an account. */
  readonly countOf: (account: string) => number
  /** Whether the account has less than its share of the waiting jobs. */
  readonly isModest: (account: string) => boolean
  /** ms of one worker for the work ahead of an account's next job, including the rest of the running jobs. */
  readonly msAhead: (account: string) => number
}

/** Decides whether a job is accepted. */
export interface Admission {
  readonly isFull: (account: string) => boolean
  /** Returns undefined if a job with a time limit of `ms` is accepted, otherwise the seconds until another attempt can succeed. */
  readonly refusal: (account: string, ms: number) => number | undefined
  readonly overloaded: (account: string) => Failure
}

/** Waiting jobs of an account that are accepted for any time limit, since clients send sixteen images at once (§7). */
const ALWAYS_ACCEPTED = 16
/** Seconds until another attempt: the limits, and the value before the throughput is known. Chosen, not measured. */
const RETRY_S = { min: 1, max: 300, unknown: 5 }

const secondsOf = (ms: number): number =>
  ms <= 0 ? RETRY_S.unknown : Math.min(RETRY_S.max, Math.max(RETRY_S.min, Math.ceil(ms / 1000)))

/** Refuses jobs if the queue is full, or if they would wait for their whole time limit. */
export const admissionTo = (backlog: Backlog): Admission => {
  const { workers, queueLimit, running, waiting } = backlog
  const isFull = (account: string): boolean =>
    running() >= workers && waiting() >= queueLimit && !backlog.isModest(account)
  const waitOf = (account: string): number =>
    running() < workers && waiting() === 0 ? 0 : backlog.msAhead(account) / Math.max(1, workers)
  // Accepts new jobs when half of the work ahead is done.
  const secondsUntilRoom = (account: string): number => secondsOf(waitOf(account) / 2)
  const refusal = (account: string, ms: number): number | undefined => {
    if (isFull(account)) return secondsUntilRoom(account)
    const wait = waitOf(account)
    const isTooLong = wait > ms && backlog.countOf(account) >= ALWAYS_ACCEPTED
    return isTooLong ? secondsOf(wait - ms) : undefined
  }
  return { isFull, refusal, overloaded: (account) => fail('OVERLOADED', secondsUntilRoom(account)) }
}
