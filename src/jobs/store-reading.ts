import type { JobClaim } from '../ports/jobs.ts'

/** A value read from a store, and the time when the read started (`performance.now()`). */
export interface StoreReading<Value> {
  readonly value: Value
  readonly askedAt: number
}

/** The reading of a store that did not answer. The value counts as missing and is read again. */
export const NOT_READ: StoreReading<undefined> = { value: undefined, askedAt: Number.NEGATIVE_INFINITY }

/** Reads a store and records the time. */
export const readNow = async <Value>(ask: () => Promise<Value>): Promise<StoreReading<Value>> => {
  const askedAt = performance.now()
  return { value: await ask(), askedAt }
}

/** Whether a reading from before a claim is still valid: no other node held the key in between. */
export const isCurrent = ({ askedAt }: StoreReading<unknown>, claim: JobClaim | undefined): boolean =>
  claim !== undefined && performance.now() - askedAt < claim.unheldMs
