import type { AnyRaster } from '../core/image.ts'

/** Whether any pixel is less than fully opaque; images without an alpha channel never are. */
export const hasTransparency = ({ data, channels }: AnyRaster): boolean => {
  if (channels === 1 || channels === 3) return false
  for (let at = channels - 1; at < data.length; at += channels) if (data[at] !== 255) return true
  return false
}

/** The smallest side that the metric is defined for: the reference tool refuses anything smaller. */
const SMALLEST_SIDE = 8

/** The image itself, or when a side is below 8 px a copy whose last column and row are repeated up to 8 px. */
export const reachEightPixels = (image: AnyRaster): AnyRaster => {
  const width = Math.max(SMALLEST_SIDE, image.width)
  const height = Math.max(SMALLEST_SIDE, image.height)
  if (width === image.width && height === image.height) return image
  const data = new Uint8Array(width * height * image.channels)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = (Math.min(y, image.height - 1) * image.width + Math.min(x, image.width - 1)) * image.channels
      data.set(image.data.subarray(from, from + image.channels), (y * width + x) * image.channels)
    }
  }
  return { data, width, height, channels: image.channels }
}

/** Throws a RangeError when the data is not as long as the size says: kernels would read what is not there. */
export const assertWhole = ({ data, width, height, channels }: AnyRaster): void => {
  if (width >= 1 && height >= 1 && data.length === width * height * channels) return
  throw new RangeError(`${data.length} samples are not an image of ${width} x ${height} px with ${channels} channels`)
}

/** Throws a RangeError unless both have one size. */
export const assertSameSize = (one: AnyRaster, other: AnyRaster): void => {
  if (one.width === other.width && one.height === other.height) return
  throw new RangeError(`${other.width} x ${other.height} px cannot be compared with ${one.width} x ${one.height} px`)
}
