import type { AnyRaster } from '../core/image.ts'

/** px of the shortest side that has all six scales of SSIMULACRA 2.1. */
const SIX_SCALES_SIDE = 129

/** The pixel of a side that stands at a place of the row of its mirror images. */
const mirrored = (place: number, side: number): number => {
  const within = place % (2 * side)
  return within < side ? within : 2 * side - 1 - within
}

/**
 * The image itself, or where a side is below 129 px a copy that mirror images continue to the right and below. Fewer than six scales
 * shift the weights of SSIMULACRA 2.1: at an equal Butteraugli distance images below 113 and 57 px score 15 and 70 points less
 * (lab/metric.md). Among its mirror images an image scores as its larger versions do.
 */
export const amongMirrorImages = (image: AnyRaster): AnyRaster => {
  const width = Math.max(SIX_SCALES_SIDE, image.width)
  const height = Math.max(SIX_SCALES_SIDE, image.height)
  if (width === image.width && height === image.height) return image
  const { channels } = image
  const data = new Uint8Array(width * height * channels)
  for (let y = 0, to = 0; y < height; y++) {
    const row = mirrored(y, image.height) * image.width
    for (let x = 0; x < width; x++, to += channels) {
      const from = (row + mirrored(x, image.width)) * channels
      data.set(image.data.subarray(from, from + channels), to)
    }
  }
  return { data, width, height, channels }
}
