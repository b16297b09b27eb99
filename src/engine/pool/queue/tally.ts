import type { NodeLoad } from '../../../core/node-load.ts'
import type { JobCost } from './fair-queue.ts'

/** Counts the cost of begun jobs by account since the last `take`. */
export const openTally = () => {
  let begun = new Map<string, number>()
  return {
    count: ({ account, cost }: JobCost): void => {
      begun.set(account, (begun.get(account) ?? 0) + cost)
    },
    take: (): NodeLoad['begun'] => {
      const taken = begun
      begun = new Map()
      return Object.fromEntries(taken)
    },
  }
}
