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

/** Px of the source's longer side: first everywhere in small copies, then around that place in large ones. */
const SMALL = 160
const LARGE = 1200

/** Finds, by looking, which part of a source a crop kept. */
export const seeCrop = async (source: string, result: string): Promise<Point> => {
  const [whole, part] = await Promise.all([loadImage(source), loadImage(result)])
  const extents = [whole, part].map(({ naturalWidth, naturalHeight }) => ({
    width: naturalWidth,
    height: naturalHeight,
  }))
  const drawn = (longer: number): readonly [Grey, Grey] => {
    const sizes = searchSizes(extents[0]!, extents[1]!, longer)
    return [greyOf(whole, sizes.whole), greyOf(part, sizes.part)]
  }
  const small = drawn(SMALL)
  const about = findCrop(...small)
  const large = drawn(LARGE)
  return findCrop(...large, rangeAround(about, ...large, small[0]))
}
