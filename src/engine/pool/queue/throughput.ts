/** Measures the throughput of a worker to predict waiting times. */
export interface Throughput {
  /** Records a job of estimated `cost` that took a worker `ms`. */
  readonly learn: (cost: number, ms: number) => void
  /** Predicted ms of one worker for estimated `cost`; 0 before the first record. */
  readonly msFor: (cost: number) => number
  /** Estimated cost of work that took one worker `ms`; 0 before the first record. */
  readonly costOf: (ms: number) => number
}

/** Weight of earlier jobs per later job: the last twenty jobs contribute two thirds. Chosen, not measured. */
const KEPT = 0.95

/** Opens a measurement without records. */
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
