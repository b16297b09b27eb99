import type { JobClaim } from '../ports/jobs.ts'

/** The answer of a store, and the time of the question (`performance.now()`). */
export interface StoreReading<Value> {
  readonly value: Value
  readonly askedAt: number
}

/** A question that the store did not answer: the value counts as missing, and is asked for again. */
export const NOT_READ: StoreReading<undefined> = { value: undefined, askedAt: Number.NEGATIVE_INFINITY }

/** Asks a store and notes the time. */
export const readNow = async <Value>(ask: () => Promise<Value>): Promise<StoreReading<Value>> => {
  const askedAt = performance.now()
  return { value: await ask(), askedAt }
}

/** Whether a reading made before a claim is still true under it: no node held the key in between. */
export const isCurrent = ({ askedAt }: StoreReading<unknown>, claim: JobClaim | undefined): boolean =>
  claim !== undefined && performance.now() - askedAt < claim.unheldMs
