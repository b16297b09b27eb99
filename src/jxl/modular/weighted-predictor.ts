/** The weighted predictor of JPEG XL's modular mode with its default parameters (ISO/IEC 18181-1, annex H). */
import { allocateIn, place, withKernel } from '../kernel.ts'
import type { Channel } from './channel.ts'

/** The predicted samples of a channel, and the largest error around each (property 15): the larger, the less sure the prediction. */
export interface Predictions {
  readonly predicted: Int32Array
  readonly errors: Int32Array
}

/** Predicts all samples of a channel, row by row. Throws a RangeError where they do not fit the kernel's memory. */
export const predictWeighted = ({ width, height, samples }: Channel): Predictions =>
  withKernel((kernel) => {
    const at = place(kernel, samples)
    const [predicted, largest] = [0, 0].map(() => allocateIn(kernel, samples.byteLength)) as [number, number]
    const scratch = allocateIn(kernel, kernel.predictorScratch(width))
    kernel.predictWeighted(at, width, height, predicted, largest, scratch)
    const read = (from: number): Int32Array => new Int32Array(kernel.memory.buffer, from, samples.length).slice()
    return { predicted: read(predicted), errors: read(largest) }
  })
