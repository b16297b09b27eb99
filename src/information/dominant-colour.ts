import type { Raster } from '../core/image.ts'

/** Bits per channel of a histogram bin. */
const BITS = 3

/** `#rrggbb` of three channels, 0..255. */
const hex = (channels: readonly number[]): string =>
  `#${channels.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`

/**
 * The dominant colour of an image: the mean of the fullest of 512 bins of a histogram, with pixels weighted by opacity. Black when every pixel
 * is transparent.
 */
export const dominantColour = ({ data, channels }: Raster): string => {
  const weights = new Float64Array(1 << (3 * BITS))
  const sums = new Float64Array(3 * weights.length)
  for (let at = 0; at < data.length; at += channels) {
    const [r, g, b] = [data[at]!, data[at + 1]!, data[at + 2]!]
    const weight = channels === 4 ? data[at + 3]! : 255
    const bin = ((r >> (8 - BITS)) << (2 * BITS)) | ((g >> (8 - BITS)) << BITS) | (b >> (8 - BITS))
    weights[bin]! += weight
    sums[bin * 3]! += r * weight
    sums[bin * 3 + 1]! += g * weight
    sums[bin * 3 + 2]! += b * weight
  }
  const fullest = weights.reduce((best, weight, bin) => (weight > weights[best]! ? bin : best), 0)
  const weight = weights[fullest]! || 1
  return hex([0, 1, 2].map((channel) => sums[fullest * 3 + channel]! / weight))
}
