import type { Share } from './fair-queue.ts'

/** Weights of jobs: costs, lowered where an account has more than its equal part of all work. */
const weightBy = (jobs: readonly Share[]): ((job: Share) => number) => {
  const sums = new Map<string, number>()
  for (const { account, cost } of jobs) sums.set(account, (sums.get(account) ?? 0) + cost)
  const equal = [...sums.values()].reduce((sum, cost) => sum + cost, 0) / sums.size
  return ({ account, cost }) => cost * Math.min(1, equal / sums.get(account)!)
}

/** The factor on weights that gives all time of the workers away, where no job has more than one worker (max-min fairness by water-filling). */
const factorOf = (weights: readonly number[], workers: number): number => {
  let left = workers
  let sum = weights.reduce((total, weight) => total + weight, 0)
  for (const weight of weights.toSorted((a, b) => b - a)) {
    if (left * weight <= sum) return left / sum
    left -= 1
    sum -= weight
  }
  return Number.POSITIVE_INFINITY
}

/**
 * Parts of the time, 0..1, that jobs may take of a worker, so that all of `jobs` have time in proportion to their costs. Accounts have equal
 * parts, as far as they have work.
 */
export const fairTimeOf = (jobs: readonly Share[], workers: number): ((job: Share) => number) => {
  const weightOf = weightBy(jobs)
  const factor = factorOf(jobs.map(weightOf), workers)
  return (job) => Math.min(1, factor * weightOf(job))
}
