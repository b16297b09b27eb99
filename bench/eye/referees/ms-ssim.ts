/** Multi-scale structural similarity (Wang, Simoncelli and Bovik, "Multi-scale structural similarity for image quality assessment", 2003). */
import type { Raster } from '../../../src/core/image.ts'
import { combine, filtered, gaussian, halved, lumaOf, mean, type Plane } from './plane.ts'

/** Exponents of the five scales, from the paper. */
const WEIGHTS = [0.0448, 0.2856, 0.3001, 0.2363, 0.1333] as const
const WINDOW = gaussian(1.5, 5)
const MEAN_OF_TWO = Float64Array.of(0.5, 0.5, 0)
/** (0.01 * 255)^2 and (0.03 * 255)^2. */
const [C1, C2] = [6.5025, 58.5225]

/** Mean luminance term times contrast-structure term, and the mean of the latter alone. */
const similarityOf = (a: Plane, b: Plane): { readonly whole: number; readonly structure: number } => {
  const [meanA, meanB] = [filtered(a, WINDOW), filtered(b, WINDOW)]
  const product = (x: Plane, y: Plane): Plane =>
    filtered(
      combine(x, y, (p, q) => p * q),
      WINDOW,
    )
  const [aa, bb, ab] = [product(a, a), product(b, b), product(a, b)]
  const structures = meanA.data.map((x, i) => {
    const y = meanB.data[i]!
    return (2 * (ab.data[i]! - x * y) + C2) / (aa.data[i]! - x * x + bb.data[i]! - y * y + C2)
  })
  const wholes = structures.map((structure, i) => {
    const [x, y] = [meanA.data[i]!, meanB.data[i]!]
    return (structure * (2 * x * y + C1)) / (x * x + y * y + C1)
  })
  return { whole: mean(wholes), structure: mean(structures) }
}

/** MS-SSIM of the luma of two images of one size: 1 for equal ones. */
export const msSsim = (one: Raster, other: Raster): number => {
  let [a, b] = [lumaOf(one), lumaOf(other)]
  return WEIGHTS.reduce((total, weight, scale) => {
    const { whole, structure } = similarityOf(a, b)
    a = halved(filtered(a, MEAN_OF_TWO))
    b = halved(filtered(b, MEAN_OF_TWO))
    return total * Math.max(0, scale === WEIGHTS.length - 1 ? whole : structure) ** weight
  }, 1)
}
