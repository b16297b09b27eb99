/**
 * Where the search of an animation's losses begins, and how its solver expects a frame's score to fall. `npm run fit:gif -- DIR... [--write]`
 * measures these numbers. Chosen before that program existed. Measured on 2026-11-26 with 28 public GIFs at medium:
 * first rates -0.12, 1.54 and 2.29, 8.9 points per fold, noise 1.07. Those took 0.93 of the CPU and 1.0026 of the bytes, so these stay.
 */
/** How margins fall with the natural logarithm of the error that one bit is worth (the rate). */
export const FITTED_RATES = {
  /** Rate of the first trial: weighted squared errors of 0.4, 2 and 5 a bit. */
  first: { high: Math.log(0.4), medium: Math.log(2), low: Math.log(5) },
  /** Points of score that a frame loses when a bit is worth e times as much. */
  pointsPerFold: 16,
  /** Standard deviation of a margin around its curve, in points: frames lie over those before them, which change as well. */
  noise: 0.8,
} as const
