/** Visual information fidelity in the pixel domain (Sheikh and Bovik, "Image information and visual quality", IEEE TIP 2006). */
import type { Raster } from '../../../src/core/image.ts'
import { combine, filtered, gaussian, halved, lumaOf, type Plane } from './plane.ts'

const SCALES = 4
/** Variance of the eye's own noise, from the paper's implementation note. */
const NOISE = 2
const EPSILON = 1e-10

/** Bits (in nats) that the second plane and the first one carry of the source. */
const informationOf = (a: Plane, b: Plane, window: Float64Array): readonly [shown: number, all: number] => {
  const [meanA, meanB] = [filtered(a, window), filtered(b, window)]
  const product = (x: Plane, y: Plane): Plane =>
    filtered(
      combine(x, y, (p, q) => p * q),
      window,
    )
  const [aa, bb, ab] = [product(a, a), product(b, b), product(a, b)]
  let [shown, all] = [0, 0]
  for (let i = 0; i < aa.data.length; i++) {
    const [x, y] = [meanA.data[i]!, meanB.data[i]!]
    const varianceA = Math.max(0, aa.data[i]! - x * x)
    const varianceB = Math.max(0, bb.data[i]! - y * y)
    const covariance = ab.data[i]! - x * y
    const gain = Math.max(0, covariance / (varianceA + EPSILON))
    const noise = Math.max(EPSILON, varianceB - gain * covariance)
    shown += Math.log(1 + (gain * gain * varianceA) / (noise + NOISE))
    all += Math.log(1 + varianceA / NOISE)
  }
  return [shown, all]
}

/** VIF of the luma of two images of one size: 1 for equal ones. */
export const vif = (one: Raster, other: Raster): number => {
  let [a, b] = [lumaOf(one), lumaOf(other)]
  let [shown, all] = [0, 0]
  for (let scale = 1; scale <= SCALES; scale++) {
    const reach = 2 ** (SCALES - scale)
    const window = gaussian((2 * reach + 1) / 5, reach)
    if (scale > 1) {
      a = halved(filtered(a, window))
      b = halved(filtered(b, window))
    }
    const [part, whole] = informationOf(a, b, window)
    shown += part
    all += whole
  }
  return shown / all
}
