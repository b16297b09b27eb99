import { allocate, floatsAt } from '../kernel.ts'
import type { QuantiserParameters, RateDistortion } from './parameters.ts'
import type { TransformedImage } from './transformed-image.ts'

/** Places in the kernel's memory for what error counts in each block, by component: a float a block, densely; chroma's are 1. */
export const placeMaskingWeights = ({ kernel, frame }: TransformedImage): number[] =>
  frame.components.map(({ widthInBlocks, heightInBlocks }) => {
    const blocks = widthInBlocks * heightInBlocks
    const at = allocate(kernel, blocks * 4 + 16)
    floatsAt(kernel, at, blocks).fill(1)
    return at
  })

/**
 * How much error counts in each block of luma, 1 on (geometric) average: busy blocks hide it (SSIM's own masking). Written at `weights`, a place of
 * the above. `mean`: the logarithm (base 2) of another image's average, to weigh as there. Returns the one taken.
 */
export const weighByMasking = (
  { kernel, frame, activities }: TransformedImage,
  { masking, maskingFloor, mostWeight, leastWeight }: QuantiserParameters & Pick<RateDistortion, 'leastWeight'>,
  { weights, mean = Number.NaN }: { readonly weights: number; readonly mean?: number | undefined },
): number => {
  const { widthInBlocks, heightInBlocks } = frame.components[0]!
  const blocks = widthInBlocks * heightInBlocks
  const limits = { floor: maskingFloor, masking, least: leastWeight, most: mostWeight }
  return kernel.maskingWeights({ activities, n: blocks, ...limits, known: mean, out: weights })
}
