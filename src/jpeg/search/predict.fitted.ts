/**
 * Written by `npm run fit:jpeg` on 2026-11-27, not by hand.
 * Data: 62 files; SHA-256 of their hashes and names 672944a8b9b4d4ad21475b0a39edf62eacd08a0cbf15ffbc0ddef283619f74ea.
 * Error, points of score at quality -20, median: 3.69 (90 %: 8.32) before, 2.92 (90 %: 7.92) after.
 * Error, points of score at quality 10, median: 2.94 (90 %: 8.14) before, 2.75 (90 %: 6.48) after.
 * Error, points of score at quality 35, median: 2.53 (90 %: 6.42) before, 2.28 (90 %: 4.96) after.
 * Error, points of score at quality 55, median: 1.69 (90 %: 5.45) before, 1.93 (90 %: 4.87) after.
 * Error, points of score at quality 70, median: 1.40 (90 %: 4.19) before, 1.64 (90 %: 3.77) after.
 * Error, points of score at quality 80, median: 1.27 (90 %: 3.45) before, 1.03 (90 %: 2.80) after.
 * Error, points of score at quality 88, median: 0.95 (90 %: 3.40) before, 0.81 (90 %: 3.05) after.
 * Error, points of score at quality 94, median: 1.18 (90 %: 3.60) before, 0.86 (90 %: 3.51) after.
 * Error, logarithm of the 3-norm, median: 0.049 (90 %: 0.150) before, 0.045 (90 %: 0.146) after.
 * Error, logarithm of the loss, median: 0.318 (90 %: 0.951) before, 0.281 (90 %: 0.791) after.
 */

/** SSIMULACRA 2.1 by quality: [quality, constant, factors on the image's features]. */
// biome-ignore format: figures
export const FITTED_SCORES: readonly (readonly [quality: number, constant: number, factors: readonly number[]])[] = [
  [-20, 49.76, [3.14, -35.89, 3.30, 16.07, -9.54, -2.57]],
  [10, 58.40, [1.17, -30.35, 0.32, 18.23, -8.28, -2.14]],
  [35, 68.08, [-1.24, -26.55, -0.48, 20.30, -6.85, -1.74]],
  [55, 72.69, [-1.93, -24.89, 0.36, 19.63, -4.94, -1.40]],
  [70, 77.38, [-7.61, -15.53, 3.31, 15.45, -3.91, -0.81]],
  [80, 74.67, [-12.77, -3.32, 6.68, 6.65, -2.85, 0.04]],
  [88, 82.12, [-11.22, 2.15, 6.06, 2.13, -2.17, 0.21]],
  [94, 90.74, [-7.17, 2.74, 5.12, -0.63, -1.86, 0.17]],
]

/** Natural logarithm of Butteraugli's 3-norm at a score of 99. */
// biome-ignore format: figures
export const FITTED_LOG_NORM: readonly [constant: number, factors: readonly number[]] = [
  -2.7538, [0.1242, -0.4230, -0.1647, 0.3634, -0.2499, -0.0377],
]

/** Natural logarithm of the points that one unit of distortion costs: a constant, a factor on quality, one on ln(100 - score). */
// biome-ignore format: figures
export const FITTED_LOG_LOSS: readonly [constant: number, quality: number, logLack: number] = [-5.1565, 0.0140, 1.5501]
