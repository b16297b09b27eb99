/** Work under way: the same thing asked for at once is worked on once. Implementations: adapters/jobs/*. */

/** Work on one key. It stops when its signal aborts, and may tell what it has so far. */
export type Work<T> = (signal: AbortSignal, offer: (soFar: T) => void) => Promise<T>

/** One waiter's share in work under way. */
export interface Flight<T> {
  /** Whether somebody else had begun it. */
  readonly joined: boolean
  /** The outcome; rejects with the reason of the waiter's own signal when the waiter leaves. */
  readonly promise: Promise<T>
  /** What the work has offered last, also after its end or after leaving. */
  readonly soFar: () => T | undefined
}

export interface Jobs<T> {
  /**
   * Begins the work on `key`, or joins it when it is under way. The waiter leaves by its own signal; when the last one
   * has left, the work is aborted, and asking for the key again begins anew.
   */
  readonly run: (key: string, work: Work<T>, leaving: AbortSignal) => Flight<T>
  /** Lets the work on `key` go on to its end whoever leaves: somebody was told to come back for it (303). False: not under way. */
  readonly detach: (key: string) => boolean
  /** Joins the work on `key`; undefined when none is under way. */
  readonly join: (key: string, leaving: AbortSignal) => Flight<T> | undefined
  /** What is under way now, for the metrics. */
  readonly underWay: () => { readonly all: number; readonly detached: number; readonly oldestMs: number }
  /** Resolves when nothing is under way any more; with a signal, aborts what is left when that fires. */
  readonly drain: (impatience?: AbortSignal) => Promise<void>
}
