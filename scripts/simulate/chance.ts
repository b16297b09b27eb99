/** Chance that can be repeated: numbers from one seed (mulberry32, T. Ettinger 2017). */
export interface Chance {
  /** Evenly from 0 up to 1. */
  readonly uniform: () => number
  /** A waiting time of a Poisson process with this mean. */
  readonly exponential: (mean: number) => number
  /** Lognormal with this mean: most are shorter, some are much longer. */
  readonly lognormal: (mean: number, sigma: number) => number
}

/** Makes chance from a seed. */
export const makeChance = (seed: number): Chance => {
  let state = seed >>> 0
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  // Box and Muller 1958.
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())
  return {
    uniform,
    exponential: (mean) => -mean * Math.log(1 - uniform()),
    lognormal: (mean, sigma) => Math.exp(Math.log(mean) - sigma ** 2 / 2 + sigma * normal()),
  }
}
