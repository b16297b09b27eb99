/** Area resampling (a box filter) of a part of an image, whose edges may lie inside pixels. */
import type { AnyRaster, Box, Extent } from '../core/image.ts'

interface Tap {
  readonly first: number
  readonly weights: readonly number[]
}

/** The input pixels that each output pixel covers, with weights. An output pixel smaller than one input pixel blends two. */
const tapsOf = (
  start: number,
  length: number,
  size: { readonly input: number; readonly output: number },
): readonly Tap[] =>
  Array.from({ length: size.output }, (_, i) => {
    const step = length / size.output
    const middle = start + (i + 0.5) * step
    const reach = Math.max(step, 1) / 2
    const first = Math.max(0, Math.min(size.input - 1, Math.floor(middle - reach)))
    const last = Math.max(first, Math.min(size.input - 1, Math.ceil(middle + reach) - 1))
    const cover = (at: number): number => Math.max(0, Math.min(at + 1, middle + reach) - Math.max(at, middle - reach))
    const weights = Array.from({ length: last - first + 1 }, (_, j) => cover(first + j))
    const sum = weights.reduce((total, weight) => total + weight, 0) || 1
    return { first, weights: weights.map((weight) => weight / sum) }
  })

/** Resamples a part of the image, in fractions 0..1 of its sides, to a size in whole pixels. */
export const areaWindow = (image: AnyRaster, window: Box, output: Extent): AnyRaster => {
  const { data, width, height, channels } = image
  const across = tapsOf(window.left * width, window.width * width, { input: width, output: output.width })
  const down = tapsOf(window.top * height, window.height * height, { input: height, output: output.height })
  const rows = new Float32Array(output.width * height * channels)
  for (let y = 0; y < height; y++)
    for (const [x, { first, weights }] of across.entries())
      for (let c = 0; c < channels; c++) {
        let sum = 0
        for (const [j, weight] of weights.entries()) sum += weight * data[(y * width + first + j) * channels + c]!
        rows[(y * output.width + x) * channels + c] = sum
      }
  const result = new Uint8Array(output.width * output.height * channels)
  const stride = output.width * channels
  for (const [y, { first, weights }] of down.entries())
    for (let x = 0; x < stride; x++) {
      let sum = 0
      for (const [j, weight] of weights.entries()) sum += weight * rows[(first + j) * stride + x]!
      result[y * stride + x] = Math.round(sum)
    }
  return { width: output.width, height: output.height, channels, data: result }
}
