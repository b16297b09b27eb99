import type { Extent, Point } from '../core/image.ts'
import { findCrop, type Grey, rangeAround, searchSizes } from './find-crop.ts'
import { loadImage } from './sources.ts'

const greyOf = (image: HTMLImageElement, { width, height }: Extent): Grey => {
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  const context = canvas.getContext('2d', { willReadFrequently: true })!
  context.imageSmoothingQuality = 'high'
  context.drawImage(image, 0, 0, width, height)
  const { data } = context.getImageData(0, 0, width, height)
  return {
    width,
    height,
    data: Float32Array.from(
      { length: width * height },
      (_, i) => (data[i * 4]! + 2 * data[i * 4 + 1]! + data[i * 4 + 2]!) / 4,
    ),
  }
}

/** Longer side of the copies in px: a full search in small copies, then a local one in large copies. Chosen, not measured. */
const COPY_SIDE = { coarse: 160, fine: 1200 } as const

/** Finds the focal point of a crop by comparing its pixels with those of the source. Fails if an image cannot be decoded. */
export const locateCrop = async (source: string, result: string): Promise<Point> => {
  const [whole, part] = await Promise.all([loadImage(source), loadImage(result)])
  const extents = [whole, part].map(({ naturalWidth, naturalHeight }) => ({
    width: naturalWidth,
    height: naturalHeight,
  }))
  const copies = (longerSide: number): readonly [Grey, Grey] => {
    const sizes = searchSizes(extents[0]!, extents[1]!, longerSide)
    return [greyOf(whole, sizes.whole), greyOf(part, sizes.part)]
  }
  const small = copies(COPY_SIDE.coarse)
  const coarse = findCrop(...small)
  const large = copies(COPY_SIDE.fine)
  return findCrop(...large, rangeAround(coarse, ...large, small[0]))
}
