import { allocate, floatsAt } from '../kernel.ts'
import type { QuantiserParameters } from './parameters.ts'
import type { TransformedImage } from './transformed-image.ts'

/**
 * How much error counts in each block of each component, 1 on (geometric) average: busy blocks hide it (SSIM's own masking).
 * Places in the kernel's memory, by component: a float a block, densely.
 */
export const maskingWeightsOf = (
  { kernel, frame, activities }: TransformedImage,
  parameters: QuantiserParameters,
): number[] =>
  frame.components.map(({ widthInBlocks, heightInBlocks }, c) => {
    const blocks = widthInBlocks * heightInBlocks
    const at = allocate(kernel, blocks * 4 + 16)
    const { floor, masking, least, most } = parameters
    if (c === 0) kernel.maskingWeights(activities, blocks, floor, masking, least, most, at)
    else floatsAt(kernel, at, blocks).fill(1)
    return at
  })
