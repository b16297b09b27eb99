import { allocate, floatsAt } from '../kernel.ts'
import type { Tuning } from './parameters.ts'
import type { Canvas } from './transformed-image.ts'

/**
 * How much error counts in each block of each component, 1 on (geometric) average: busy blocks hide it (SSIM's own masking).
 * Places in the kernel's memory, by component: a float a block, densely.
 */
export const strengthsOf = ({ kernel, frame, activities }: Canvas, tuning: Tuning): number[] =>
  frame.components.map(({ wide, high }, c) => {
    const blocks = wide * high
    const at = allocate(kernel, blocks * 4 + 16)
    const { floor, masking, least, most } = tuning
    if (c === 0) kernel.strengths(activities, blocks, floor, masking, least, most, at)
    else floatsAt(kernel, at, blocks).fill(1)
    return at
  })
