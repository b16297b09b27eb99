import type { Raster } from '../core/image.ts'
import { fromPixels } from '../raster/raw.ts'

/** IJG quality of the JPEG whose size stands for detail; it takes 10 ms of CPU per megapixel. */
const QUALITY = 75
/** Bytes a pixel of that JPEG up to which an image is smooth: 14 photographs on which encoders behave differently have .07 to .14 and .18 to .29. */
const MAX_BYTES_PER_PIXEL = 0.15

/** Detail of an image: the bytes a pixel of a fast JPEG. */
export const detailOf = async (pixels: Raster): Promise<number> => {
  const { length } = await fromPixels(pixels).jpeg({ quality: QUALITY }).toBuffer()
  return length / (pixels.width * pixels.height)
}

/** Whether an image of this detail is smooth for the most part. */
export const isSmooth = (detail: number): boolean => detail <= MAX_BYTES_PER_PIXEL
