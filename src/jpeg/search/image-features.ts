import { floatsAt } from '../kernel.ts'
import type { TransformedImage } from '../quantiser/transformed-image.ts'

/** What an image's luma tells of the scores it will reach; see `quality-prediction.ts`. */
export type ImageFeatures = readonly number[]

/** One area of 16x16 px in so many is looked at, more of small images', and of no image more than `MOST_AREAS`. */
const USUAL_STRIDE = 4
const ENOUGH_AREAS = 400
const MOST_AREAS = 1500

/** Steps of the two imagined quantisations. */
const FINE_STEP = 20
const COARSE_STEP = 40
/** What is below this part of a step is thought to become zero, what is above to err like any rounded number. */
const ZEROED_BELOW = 0.6
/** The metric's constant beside variances, in squared code values. */
const SSIM_CONSTANT = 80
/** Below this code value the metric is more sensitive. */
const DARK = 50

/** Larger images count as this large, in pixels: none of those that the prediction was fitted to was larger, and its factor does not hold beyond. */
const LARGEST_FITTED = 1.2e6

/** Across and down frequency of each coefficient. */
const FREQUENCIES = Array.from({ length: 15 }, (_, sum) =>
  Array.from({ length: sum + 1 }, (_, i) => (sum % 2 ? [sum - i, i] : [i, sum - i]) as [number, number]),
)
  .flat()
  .filter(([u, v]) => u < 8 && v < 8)

/** How much of a coefficient's energy is left at half the size. */
const LEFT_AT_HALF = Float64Array.from(
  FREQUENCIES,
  ([u, v]) => (Math.cos((u * Math.PI) / 16) * Math.cos((v * Math.PI) / 16)) ** 2,
)

/**
 * Measures what predicts scores: for two imagined steps at full and at half size, the mean over areas of lost energy against
 * variance (SSIM's own form; logarithms); the part of dark areas; the logarithm of the number of pixels.
 */
export const featuresOf = ({
  kernel,
  frame,
  dct,
}: Pick<TransformedImage, 'kernel' | 'frame' | 'dct'>): ImageFeatures => {
  const { widthInBlocks, heightInBlocks, stride, rows } = frame.components[0]!
  const blocks = floatsAt(kernel, dct[0]!, rows * stride * 64)
  const [across, down] = [Math.ceil(widthInBlocks / 2), Math.ceil(heightInBlocks / 2)]
  const all = across * down
  const step = Math.max(1, Math.min(USUAL_STRIDE, all / ENOUGH_AREAS), all / MOST_AREAS)
  const sums = [0, 0, 0, 0]
  let darkOnes = 0
  let areas = 0
  for (let i = step / 2; i < all; i += step) {
    const at = Math.floor(i)
    const { lost, mean } = lookAt(blocks, {
      x: 2 * (at % across),
      y: 2 * Math.floor(at / across),
      widthInBlocks,
      heightInBlocks,
      stride,
    })
    lost.forEach((part, s) => {
      sums[s]! += part
    })
    if (mean < DARK) darkOnes++
    areas++
  }
  const logs = sums.map((sum) => Math.log(sum / areas + 1e-4))
  return [...logs, darkOnes / areas, Math.log(Math.min(LARGEST_FITTED, frame.width * frame.height))]
}

interface Area {
  readonly x: number
  readonly y: number
  readonly widthInBlocks: number
  readonly heightInBlocks: number
  readonly stride: number
}

/** Up to four blocks: what the imagined steps lose of them against their variance, at full size (fine, coarse) and at half. */
const lookAt = (
  blocks: Float32Array,
  { x, y, widthInBlocks, heightInBlocks, stride }: Area,
): { lost: number[]; mean: number } => {
  let [variance, halfVariance, sum, squares, count] = [0, 0, 0, 0, 0]
  let [lostFine, lostCoarse, halfFine, halfCoarse] = [0, 0, 0, 0]
  for (let row = y; row < Math.min(heightInBlocks, y + 2); row++) {
    for (let column = x; column < Math.min(widthInBlocks, x + 2); column++) {
      const at = (row * stride + column) * 64
      const mean = blocks[at]! / 8
      sum += mean
      squares += mean * mean
      count++
      for (let k = 1; k < 64; k++) {
        const energy = blocks[at + k]! * blocks[at + k]!
        const half = LEFT_AT_HALF[k]!
        const lossFine = energy < (ZEROED_BELOW * FINE_STEP) ** 2 ? energy : FINE_STEP ** 2 / 12
        const lossCoarse = energy < (ZEROED_BELOW * COARSE_STEP) ** 2 ? energy : COARSE_STEP ** 2 / 12
        variance += energy
        halfVariance += energy * half
        lostFine += lossFine
        lostCoarse += lossCoarse
        halfFine += lossFine * half
        halfCoarse += lossCoarse * half
      }
    }
  }
  const between = 64 * (squares - (sum * sum) / count)
  const full = 2 * (variance + between) + SSIM_CONSTANT * 64 * count
  const half = 2 * (halfVariance + between) + SSIM_CONSTANT * 64 * count
  return { lost: [lostFine / full, lostCoarse / full, halfFine / half, halfCoarse / half], mean: sum / count + 128 }
}
