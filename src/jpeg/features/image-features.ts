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
  const workspace = openWorkspace(kernel)
  const [across, down] = [Math.ceil(widthInBlocks / 2), Math.ceil(heightInBlocks / 2)]
  const all = across * down
  const step = Math.max(1, Math.min(AREAS.stride, all / AREAS.enough), all / AREAS.max)
  const sums = new Float64Array(4)
  let darkOnes = 0
  let areas = 0
  for (let i = step / 2; i < all; i += step) {
    const at = Math.floor(i)
    const x = 2 * (at % across)
    const y = 2 * Math.floor(at / across)
    const area = {
      at: dct[0]! + (y * stride + x) * KERNEL_BYTES.transformedBlock,
      columns: Math.min(2, widthInBlocks - x),
      rows: Math.min(2, heightInBlocks - y),
      pitch: stride * KERNEL_BYTES.transformedBlock,
    }
    if (addLosses(kernel, workspace, area, sums) < MODEL.dark) darkOnes++
    areas++
  }
  kernel.release(before)
  const logs = Array.from(sums, (sum) => Math.log(sum / areas + 1e-4))
  return [...logs, darkOnes / areas, Math.log(Math.min(MODEL.largestFitted, frame.width * frame.height))]
}

/** Addresses in the kernel's memory: losses of the steps, shares of energy left at half size, and the kernel's sums. */
interface Workspace {
  readonly steps: number
  readonly leftAtHalf: number
  readonly sums: number
  /** All of the memory, which does not grow meanwhile. */
  readonly floats: Float32Array
}

const openWorkspace = (kernel: Kernel): Workspace => {
  const steps = allocate(kernel, 16)
  const leftAtHalf = allocate(kernel, KERNEL_BYTES.transformedBlock)
  const sums = allocate(kernel, 32)
  const lossOf = (step: number): readonly number[] => [(MODEL.zeroedBelow * step) ** 2, step ** 2 / 12]
  floatsAt(kernel, steps, 4).set([...lossOf(MODEL.fineStep), ...lossOf(MODEL.coarseStep)])
  floatsAt(kernel, leftAtHalf, 64).set(LEFT_AT_HALF)
  return { steps, leftAtHalf, sums, floats: new Float32Array(kernel.memory.buffer) }
}

/** Up to four blocks, rows of them `pitch` bytes apart. */
interface Area {
  readonly at: number
  readonly columns: number
  readonly rows: number
  readonly pitch: number
}

/** Adds what the imagined steps lose of an area against its variance, at full size (fine, coarse) and at half; gives its mean sample. */
const addLosses = (
  kernel: Kernel,
  { steps, leftAtHalf, sums, floats }: Workspace,
  { at, columns, rows, pitch }: Area,
  losses: Float64Array,
): number => {
  kernel.lostEnergy({ blocks: at, columns, rows, pitch, steps, leftAtHalf, out: sums })
  const first = sums >> 2
  let sum = 0
  let squares = 0
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const mean = floats[(at + row * pitch + column * KERNEL_BYTES.transformedBlock) >> 2]! / 8
      sum += mean
      squares += mean * mean
    }
  }
  const count = rows * columns
  const between = 64 * (squares - (sum * sum) / count)
  const full = 2 * (floats[first]! + between) + MODEL.ssimConstant * 64 * count
  const half = 2 * (floats[first + 1]! + between) + MODEL.ssimConstant * 64 * count
  losses[0]! += floats[first + 2]! / full
  losses[1]! += floats[first + 3]! / full
  losses[2]! += floats[first + 4]! / half
  losses[3]! += floats[first + 5]! / half
  return sum / count + 128
}
