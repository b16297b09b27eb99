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

/** How much error counts in each block of luma, 1 on (geometric) average: busy blocks hide it (SSIM's own masking). Written `at` a place of the above. */
export const weighByMasking = (
  { kernel, frame, activities }: TransformedImage,
  { masking, maskingFloor, mostWeight }: QuantiserParameters,
  { leastWeight }: RateDistortion,
  at: number,
): void => {
  const { widthInBlocks, heightInBlocks } = frame.components[0]!
  kernel.maskingWeights(activities, widthInBlocks * heightInBlocks, maskingFloor, masking, leastWeight, mostWeight, at)
}
