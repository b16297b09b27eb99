/** Gradient magnitude similarity deviation (Xue, Zhang, Mou and Bovik, "Gradient magnitude similarity deviation", IEEE TIP 2014). */
import type { Raster } from '../../../src/core/image.ts'
import { combine, filtered, halved, lumaOf, mean, type Plane } from './plane.ts'

/** The paper's constant for values of 0..255. */
const CONSTANT = 170
const MEAN_OF_TWO = Float64Array.of(0.5, 0.5, 0)

const gradient = ({ width, height, data }: Plane): Plane => {
  const at = (x: number, y: number): number =>
    data[Math.max(0, Math.min(height - 1, y)) * width + Math.max(0, Math.min(width - 1, x))]!
  return {
    width,
    height,
    data: data.map((_, i) => {
      const [x, y] = [i % width, Math.floor(i / width)]
      let [across, down] = [0, 0]
      for (let k = -1; k <= 1; k++) {
        across += at(x + 1, y + k) - at(x - 1, y + k)
        down += at(x + k, y + 1) - at(x + k, y - 1)
      }
      return Math.hypot(across, down) / 3
    }),
  }
}

/** GMSD of the luma of two images of one size: 0 for equal ones, more for worse. */
export const gmsd = (one: Raster, other: Raster): number => {
  const [a, b] = [one, other].map((raster) => gradient(halved(filtered(lumaOf(raster), MEAN_OF_TWO))))
  const similarity = combine(a!, b!, (x, y) => (2 * x * y + CONSTANT) / (x * x + y * y + CONSTANT)).data
  const average = mean(similarity)
  return Math.sqrt(mean(similarity.map((value) => (value - average) ** 2)))
}
