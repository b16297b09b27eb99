/** How fast work is done, as far as it was seen: what waits can be told ahead by. */
export interface Pace {
  /** A job of so much estimated work took a worker so many ms. */
  readonly learn: (cost: number, ms: number) => void
  /** How many ms so much estimated work takes one worker; 0 while nothing was seen. */
  readonly msFor: (cost: number) => number
}

/** What earlier jobs count each time that another one ends: the last twenty make two thirds of the figure. */
const KEPT = 0.95

/** Opens a pace that knows nothing yet. */
export const openPace = (): Pace => {
  let seen = { cost: 0, ms: 0 }
  return {
    learn: (cost, ms) => {
      seen = { cost: seen.cost * KEPT + cost, ms: seen.ms * KEPT + ms }
    },
    msFor: (cost) => (seen.cost === 0 ? 0 : (cost * seen.ms) / seen.cost),
  }
}
