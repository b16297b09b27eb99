import type { Results } from '../ports/results.ts'
import type { ImageAnswer } from './answer.ts'
import { recall } from './recall.ts'

/** What is stored under a key: however many ask at the same time, the store is asked once. What was stored since the first of them asked may be missed. */
export type RecallOnce = (key: string) => Promise<ImageAnswer | undefined>

/** Opens a first look at `results`; fails as the store does. */
export const openRecallOnce = (results: Results): RecallOnce => {
  const asking = new Map<string, Promise<ImageAnswer | undefined>>()
  return (key) => {
    const asked = asking.get(key)
    if (asked !== undefined) return asked
    const asks = recall(results, key).finally(() => asking.delete(key))
    asking.set(key, asks)
    return asks
  }
}
