/** IJG qualities of the columns of SCORES. */
const QUALITIES = [10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 98] as const

/**
 * Mean SSIMULACRA 2.1 score of a JPEG against its original, both scaled by `reduction`. Ten Kodak photographs, libjpeg tables, 4:2:0,
 * Lanczos3, exact metric. At 1:1 and above quality 20, single photographs differ by -8 to +6.
 */
const SCORES: readonly { readonly reduction: number; readonly scores: readonly number[] }[] = [
  { reduction: 0.25, scores: [63.2, 81, 86, 88.9, 90.4, 91.1, 92.4, 93.8, 95.1, 95.6, 95.8] },
  { reduction: 0.5, scores: [31, 62.4, 73, 78.8, 82.1, 84.2, 86.8, 89.5, 92.3, 93.7, 94.3] },
  { reduction: 0.75, scores: [14.1, 49.4, 62.2, 68.9, 73.4, 76.6, 80.4, 84.5, 89, 91.4, 92.7] },
  { reduction: 1, scores: [-10.2, 31.3, 47.8, 56.7, 62.5, 66.6, 71.7, 77.4, 84.5, 88.7, 91.5] },
]

/**
 * Estimates the score of a JPEG against its original from its IJG quality (1..100). `reduction`: output px per source px, at most 1.
 * Reducing averages artefacts, so the score rises as the image gets smaller.
 */
export const sourceScore = (quality: number, reduction = 1): number =>
  interpolate(
    SCORES.map((row) => row.reduction),
    SCORES.map((row) => interpolate(QUALITIES, row.scores, quality)),
    reduction,
  )

/** Interpolates linearly between the points (`xs` rising), and clamps beyond them. */
const interpolate = (xs: readonly number[], ys: readonly number[], x: number): number => {
  const next = xs.findIndex((each) => each >= x)
  if (next === -1) return ys.at(-1)!
  if (next === 0) return ys[0]!
  const part = (x - xs[next - 1]!) / (xs[next]! - xs[next - 1]!)
  return ys[next - 1]! + part * (ys[next]! - ys[next - 1]!)
}
