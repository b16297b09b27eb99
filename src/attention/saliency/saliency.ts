import { logistic } from '../logistic.ts'
import type { View } from '../view.ts'
import { computeFeatures, type SaliencyFeature } from './features.ts'
import { GRID, type Plane, planeOf } from './grid.ts'
import { FITTED_SALIENCY } from './saliency.fitted.ts'

/** Side of the saliency map; the image is stretched to it. */
export const MAP_SIDE = GRID / 2
/** Exponent of the probabilities: likely subjects count, and many doubtful cells do not add up. Chosen, not measured. */
const POWER = 4
/** Features that do not depend on the pixels. */
const POSITION: readonly SaliencyFeature[] = ['xx', 'yy']

/**
 * Weight of each cell of a 32 x 32 map, 0..1, for a 64 x 64 view. A logistic regression on features gives the probability that the
 * cell belongs to the subject. The weight is a power of it, above that of a cell of plain ground at the same position.
 */
export const computeSaliency = (view: View): Float32Array => {
  const features = computeFeatures(view)
  const ground = weigh(features, POSITION)
  return weigh(features, Object.keys(features) as SaliencyFeature[]).map((weight, at) =>
    Math.max(0, weight - ground[at]!),
  )
}

const weigh = (features: Readonly<Record<SaliencyFeature, Plane>>, names: readonly SaliencyFeature[]): Float32Array => {
  const { constant, factors } = FITTED_SALIENCY
  const logits = planeOf((at) =>
    names.reduce<number>((sum, name) => sum + factors[name] * features[name][at]!, constant),
  )
  return halve(logits).map((logit) => logistic(logit) ** POWER)
}

/** Means of 2 x 2 cells. */
export const halve = (plane: Plane): Float32Array =>
  Float32Array.from({ length: MAP_SIDE * MAP_SIDE }, (_, at) => {
    const first = Math.floor(at / MAP_SIDE) * 2 * GRID + (at % MAP_SIDE) * 2
    return (plane[first]! + plane[first + 1]! + plane[first + GRID]! + plane[first + GRID + 1]!) / 4
  })
