import type { Raster } from '../core/image.ts'
import { fromPixels } from '../raster/raw.ts'

/** IJG qualities of JPEGs whose sizes stand for detail: of all of it, and of what a coarse quantiser leaves. One takes 10 ms of CPU per megapixel. */
const QUALITIES = { all: 75, coarse: 10 } as const
/** Bytes a pixel of the first up to which an image is smooth: 14 photographs on which encoders behave differently have .07 to .14 and .18 to .29. */
const MAX_BYTES_PER_PIXEL = 0.15

/** Detail of an image by the sizes of two fast JPEGs. */
export interface Detail {
  /** Bytes a pixel of the finer one. */
  readonly bytesPerPixel: number
  /** Share of them that the coarser one takes. Images of faint texture have small shares: they lose most under a coarse quantiser. */
  readonly coarseShare: number
}

export const detailOf = async (pixels: Raster): Promise<Detail> => {
  const sizeAt = async (quality: number) => (await fromPixels(pixels).jpeg({ quality }).toBuffer()).length
  const all = await sizeAt(QUALITIES.all)
  return { bytesPerPixel: all / (pixels.width * pixels.height), coarseShare: (await sizeAt(QUALITIES.coarse)) / all }
}

/** Whether an image of this detail is smooth for the most part. */
export const isSmooth = ({ bytesPerPixel }: Detail): boolean => bytesPerPixel <= MAX_BYTES_PER_PIXEL
