/** Measured throughput of a worker, from which waiting times are predicted. */
export interface Throughput {
  /** Records a job of estimated `cost` that took a worker `ms`. */
  readonly learn: (cost: number, ms: number) => void
  /** Predicted ms of one worker for estimated `cost`; 0 before the first record. */
  readonly msFor: (cost: number) => number
  /** Estimated cost of work that took one worker `ms`; 0 before the first record. */
  readonly costOf: (ms: number) => number
}

/** Factor on earlier jobs for each later one: the last twenty make two thirds of the figure. */
const KEPT = 0.95

export const openThroughput = (): Throughput => {
  let seen = { cost: 0, ms: 0 }
  return {
    learn: (cost, ms) => {
      seen = { cost: seen.cost * KEPT + cost, ms: seen.ms * KEPT + ms }
    },
    msFor: (cost) => (seen.cost === 0 ? 0 : (cost * seen.ms) / seen.cost),
    costOf: (ms) => (seen.ms === 0 ? 0 : (ms * seen.cost) / seen.ms),
  }
}
