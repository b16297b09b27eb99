/**
 * Robust linear regression: least squares whose weights fall with the error (Huber 1964). Logistic regression by iteratively
 * reweighted least squares (McCullagh and Nelder 1989). Figures of samples.
 */

/** Solves `matrix` x = `right` by elimination; both are changed. */
const solve = (matrix: number[][], right: number[]): number[] => {
  const n = right.length
  for (let i = 0; i < n; i++) {
    for (let row = i + 1; row < n; row++) {
      const factor = matrix[row]![i]! / matrix[i]![i]!
      for (let c = i; c < n; c++) matrix[row]![c]! -= factor * matrix[i]![c]!
      right[row]! -= factor * right[i]!
    }
  }
  const x = new Array<number>(n).fill(0)
  for (let i = n - 1; i >= 0; i--) {
    const rest = x.reduce((sum, value, c) => sum + (c > i ? value * matrix[i]![c]! : 0), 0)
    x[i] = (right[i]! - rest) / matrix[i]![i]!
  }
  return x
}

export const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, i) => sum + value * b[i]!, 0)

export interface Robustness {
  /** Errors beyond this count less, in units of the outputs. */
  readonly width: number
  /** Added to the diagonal, but for the constant. */
  readonly damping: number
}

/** Coefficients of `outputs` by `inputs`, whose first column is 1. */
export const regress = (
  inputs: readonly (readonly number[])[],
  outputs: readonly number[],
  { width, damping }: Robustness,
): number[] => {
  const size = inputs[0]!.length
  let weights = outputs.map(() => 1)
  let solution: number[] = []
  for (let round = 0; round < 8; round++) {
    const matrix = Array.from({ length: size }, (_, i) =>
      Array.from({ length: size }, (_, j) =>
        inputs.reduce((sum, row, n) => sum + weights[n]! * row[i]! * row[j]!, i === j && i > 0 ? damping : 0),
      ),
    )
    const right = Array.from({ length: size }, (_, i) =>
      inputs.reduce((sum, row, n) => sum + weights[n]! * row[i]! * outputs[n]!, 0),
    )
    solution = solve(matrix, right)
    weights = inputs.map((row, n) => 1 / Math.max(1, Math.abs(outputs[n]! - dot(row, solution)) / width))
  }
  return solution
}

/** Rounds of reweighting, which converge quadratically. */
const ROUNDS = 8

/** Coefficients of the log odds that outputs, 0 or 1, are 1, by `inputs`, whose first column is 1. `damping` is added to the diagonal, but for the constant. */
export const regressLogistic = (
  inputs: readonly (readonly number[])[],
  outputs: readonly number[],
  damping: number,
): number[] => {
  const size = inputs[0]!.length
  let solution = new Array<number>(size).fill(0)
  for (let round = 0; round < ROUNDS; round++) {
    const matrix = Array.from({ length: size }, () => new Array<number>(size).fill(0))
    const right = new Array<number>(size).fill(0)
    inputs.forEach((row, n) => {
      const likely = 1 / (1 + Math.exp(-dot(row, solution)))
      for (let i = 0; i < size; i++) {
        right[i]! += (outputs[n]! - likely) * row[i]!
        for (let j = 0; j < size; j++) matrix[i]![j]! += likely * (1 - likely) * row[i]! * row[j]!
      }
    })
    for (let i = 1; i < size; i++) {
      matrix[i]![i]! += damping
      right[i]! -= damping * solution[i]!
    }
    const step = solve(matrix, right)
    solution = solution.map((value, i) => value + step[i]!)
  }
  return solution
}

/** The smallest sample that at least `share` of all are below. */
export const quantile = (list: readonly number[], share: number): number =>
  list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))]!

export const median = (list: readonly number[]): number => quantile(list, 0.5)
