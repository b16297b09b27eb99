import { allocate, floatsAt, KERNEL_BYTES, type Kernel } from '../kernel.ts'
import type { TransformedImage } from '../quantiser/transformed-image.ts'

/** Features of an image's luma that predict its scores; see `search/predict.ts`. */
export type ImageFeatures = readonly number[]

/** One area of 16x16 px in `stride` is measured: at least `enough` where there are as many, and at most `max`. Chosen, not measured. */
const AREAS = { stride: 4, enough: 400, max: 1500 } as const

/** The modelled quantisations: chosen, before the fit of `predict.fitted.ts`. */
const MODEL = {
  /** Step, in units of a coefficient. */
  fineStep: 20,
  /** Likewise. */
  coarseStep: 40,
  /** A coefficient below this share of a step becomes zero; one above has the error of rounding. */
  zeroedBelow: 0.6,
  /** The constant that the metric adds to variances, in squared code values. */
  ssimConstant: 80,
  /** Below this code value the metric is more sensitive. */
  dark: 50,
  /** Larger images count as this large, in pixels: none of those that the prediction was fitted to was larger, and its factor does not hold beyond. */
  largestFitted: 1.2e6,
} as const

/** Across and down frequency of each coefficient. */
const FREQUENCIES = Array.from({ length: 15 }, (_, sum) =>
  Array.from({ length: sum + 1 }, (_, i) => (sum % 2 ? [sum - i, i] : [i, sum - i]) as [number, number]),
)
  .flat()
  .filter(([u, v]) => u < 8 && v < 8)

/** How much of a coefficient's energy is left at half the size. */
const LEFT_AT_HALF = Float32Array.from(
  FREQUENCIES,
  ([u, v]) => (Math.cos((u * Math.PI) / 16) * Math.cos((v * Math.PI) / 16)) ** 2,
)

/**
 * Measures features that predict scores. For two modelled steps at full and at half size: the logarithm of the mean over areas of lost energy
 * over variance, which is SSIM's form. Then the share of dark areas, and the logarithm of the number of pixels.
 */
export const featuresOf = ({
  kernel,
  frame,
  dct,
}: Pick<TransformedImage, 'kernel' | 'frame' | 'dct'>): ImageFeatures => {
  const { widthInBlocks, heightInBlocks, stride } = frame.components[0]!
  const before = kernel.mark()
  const all = Math.ceil(widthInBlocks / 2) * Math.ceil(heightInBlocks / 2)
  const out = allocate(kernel, 40)
  const areas = kernel.areaLosses({
    blocks: dct[0]!,
    widthInBlocks,
    heightInBlocks,
    stride,
    ...writeModel(kernel),
    out,
    step: Math.max(1, Math.min(AREAS.stride, all / AREAS.enough), all / AREAS.max),
    constant: MODEL.ssimConstant,
    dark: MODEL.dark,
  })
  const sums = new Float64Array(kernel.memory.buffer, out, 5)
  const logs = Array.from(sums.subarray(0, 4), (sum) => Math.log(sum / areas + 1e-4))
  const dark = sums[4]! / areas
  kernel.release(before)
  return [...logs, dark, Math.log(Math.min(MODEL.largestFitted, frame.width * frame.height))]
}

/** Writes losses of the steps and shares of energy left at half size to the kernel's memory; returns their addresses. */
const writeModel = (kernel: Kernel): { readonly steps: number; readonly leftAtHalf: number } => {
  const steps = allocate(kernel, 16)
  const leftAtHalf = allocate(kernel, KERNEL_BYTES.transformedBlock)
  const lossOf = (step: number): readonly number[] => [(MODEL.zeroedBelow * step) ** 2, step ** 2 / 12]
  floatsAt(kernel, steps, 4).set([...lossOf(MODEL.fineStep), ...lossOf(MODEL.coarseStep)])
  floatsAt(kernel, leftAtHalf, 64).set(LEFT_AT_HALF)
  return { steps, leftAtHalf }
}
