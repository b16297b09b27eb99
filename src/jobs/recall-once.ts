import type { Results } from '../ports/results.ts'
import type { ImageAnswer } from './answer.ts'
import { recall } from './recall.ts'
import { readNow, type StoreReading } from './store-reading.ts'

/** Reads a stored result, once for all concurrent callers. May miss a result stored after the first of them started. */
export type RecallOnce = (key: string) => Promise<StoreReading<ImageAnswer | undefined>>

/** Opens shared reads of `results`. They fail like the store. */
export const openRecallOnce = (results: Results): RecallOnce => {
  const asking = new Map<string, ReturnType<RecallOnce>>()
  return (key) => {
    const running = asking.get(key)
    if (running !== undefined) return running
    const asks = readNow(() => recall(results, key)).finally(() => asking.delete(key))
    asking.set(key, asks)
    return asks
  }
}
