import { logistic } from '../logistic.ts'
import type { View } from '../view.ts'
import { computeFeatures } from './features.ts'
import { GRID } from './grid.ts'
import { WEIGHTS } from './weights.ts'

/** Side of the saliency map; the image is stretched to it. */
export const MAP_SIDE = GRID / 2

/**
 * Probability that each cell of a 32 x 32 map belongs to the subject, 0..1, for a 64 x 64 view. It is a regression over classical
 * features, their squares, two products and the distance from the middle, fitted to 610 labelled photographs.
 */
export const computeSaliency = (view: View): Float32Array => {
  const planes = computeFeatures(view).map(halve)
  const [barrier, border, , , edge] = planes as unknown as readonly Float32Array[] & { 0: Float32Array }
  return Float32Array.from({ length: MAP_SIDE * MAP_SIDE }, (_, at) => {
    const values = planes.map((plane) => plane[at]!)
    const products = [barrier[at]! * border![at]!, border![at]! * edge![at]!]
    return regress([...values, ...values.map((value) => value * value), ...products, ...placeOf(at)])
  })
}

/** Means of 2 x 2 cells. */
const halve = (plane: Float32Array): Float32Array =>
  Float32Array.from({ length: MAP_SIDE * MAP_SIDE }, (_, at) => {
    const first = Math.floor(at / MAP_SIDE) * 2 * GRID + (at % MAP_SIDE) * 2
    return (plane[first]! + plane[first + 1]! + plane[first + GRID]! + plane[first + GRID + 1]!) / 4
  })

const placeOf = (at: number): readonly number[] => {
  const x = (((at % MAP_SIDE) + 0.5) / MAP_SIDE) * 2 - 1
  const y = ((Math.floor(at / MAP_SIDE) + 0.5) / MAP_SIDE) * 2 - 1
  return [Math.abs(x), Math.abs(y), x * x, y * y, Math.exp(-1.5 * (x * x + y * y))]
}

const regress = (values: readonly number[]): number => {
  const { mean, deviation, weights, bias } = WEIGHTS
  const sum = values.reduce(
    (total, value, k) => total + ((value - mean[k]!) / deviation[k]!) * weights[k]!,
    bias as number,
  )
  return logistic(sum)
}
