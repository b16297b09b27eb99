/**
 * Linear fits to features of photographs. `npm run fit:jpeg -- DIR... [--write]` repeats them.
 * Made on 130 photographs, some of them not public (lab/jpeg-encoder.md). Repeated on 2026-11-26 with 82 public photographs in
 * three sizes; SHA-256 of their hashes and names 84a46ae089c3da626ff7493829b9d33ccce70bb3780e28c43f4551a62a29ed03.
 * Error of these numbers / of new ones on images left out, medians: 1.77 / 1.89 points at quality 55, 0.93 / 0.86 at 88;
 * logarithm of the norm 0.048 / 0.044; logarithm of the loss 0.245 / 0.238. The new ones took 1.010 of the bytes of 15 photographs, and were not taken.
 */

/** SSIMULACRA 2.1 by quality: [quality, constant, factors on the image's features]. */
// biome-ignore format: figures
export const FITTED_SCORES: readonly (readonly [quality: number, constant: number, factors: readonly number[]])[] = [
  [-20, 37.06, [-3.95, -23.75, 10.03, 1.07, -10.16, -2.73]],
  [10, 48.45, [-2.90, -19.78, 4.43, 5.73, -8.79, -2.17]],
  [35, 59.20, [-2.98, -17.46, 0.33, 11.10, -6.55, -1.73]],
  [55, 65.69, [-1.39, -17.78, -0.09, 11.81, -5.13, -1.31]],
  [70, 75.38, [-5.91, -11.68, 0.93, 12.10, -4.00, -1.00]],
  [80, 78.08, [-12.59, -1.43, 5.52, 5.99, -2.59, -0.39]],
  [88, 88.78, [-10.91, 1.25, 5.06, 3.86, -1.97, -0.39]],
  [94, 98.58, [-7.91, 1.23, 4.40, 2.75, -1.64, -0.45]],
]

/** Natural logarithm of Butteraugli's 3-norm at a score of 99. */
export const FITTED_LOG_NORM: readonly [constant: number, factors: readonly number[]] = [
  -2.5697,
  [0.0717, -0.302, -0.1025, 0.2436, -0.2589, -0.0531],
]

/** Natural logarithm of the points that one unit of distortion costs: a constant, a factor on quality, one on ln(100 - score). */
export const FITTED_LOG_LOSS: readonly [constant: number, quality: number, logLack: number] = [-3.3443, 0.0061, 1.1877]
