import type { JobCost } from './fair-queue.ts'

/** Returns the weight of a job: its cost, lowered where its account has more than an equal part of all work. */
const weightBy = (jobs: readonly JobCost[]): ((job: JobCost) => number) => {
  const sums = new Map<string, number>()
  for (const { account, cost } of jobs) sums.set(account, (sums.get(account) ?? 0) + cost)
  const equal = [...sums.values()].reduce((sum, cost) => sum + cost, 0) / sums.size
  return ({ account, cost }) => cost * Math.min(1, equal / sums.get(account)!)
}

/** Returns the factor on weights that uses all time of the workers. No job has more than one worker (max-min fairness by water-filling). */
const factorOf = (weights: readonly number[], workers: number): number => {
  let free = workers
  let sum = weights.reduce((total, weight) => total + weight, 0)
  for (const weight of weights.toSorted((a, b) => b - a)) {
    if (free * weight <= sum) return free / sum
    free -= 1
    sum -= weight
  }
  return Number.POSITIVE_INFINITY
}

/**
 * Returns the part, 0..1, of a worker's time that a job may take. All of `jobs` have time in proportion to their costs, and accounts have
 * equal parts as far as they have work.
 */
export const fairTimeOf = (jobs: readonly JobCost[], workers: number): ((job: JobCost) => number) => {
  const weightOf = weightBy(jobs)
  const factor = factorOf(jobs.map(weightOf), workers)
  return (job) => Math.min(1, factor * weightOf(job))
}
