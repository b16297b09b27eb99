import sharp from 'sharp'
import type { Extent, Pixels, Point } from '../core/image.ts'

const CENTRE: Point = { x: 0.5, y: 0.5 }
/** px; the longest side of the crop that attention is asked for: the shape decides, not the size. */
const LOOK_SIDE = 400
/** px; beyond this a covering thumbnail belongs to an absurdly long image, whose middle is as good. */
const MOST_PIXELS = 16e6

/** Where an image draws the eye, for a crop of the given shape (`crop=auto`): libvips' attention (edges, skin, saturation). */
export const findAttention = async (pixels: Pixels, output: Extent): Promise<Point> => {
  const window = scaledBy(output, Math.min(1, LOOK_SIDE / Math.max(output.width, output.height)))
  const cover = Math.max(window.width / pixels.width, window.height / pixels.height)
  const thumbnail = scaledBy(pixels, cover)
  const nothingToCut = thumbnail.width <= window.width && thumbnail.height <= window.height
  if (nothingToCut || thumbnail.width * thumbnail.height > MOST_PIXELS) return CENTRE
  const { width, height, channels } = pixels
  const { info } = await sharp(pixels.data, { raw: { width, height, channels }, limitInputPixels: false })
    .resize(window.width, window.height, { fit: 'cover', position: sharp.strategy.attention })
    .raw()
    .toBuffer({ resolveWithObject: true })
  if (info.attentionX === undefined || info.attentionY === undefined) return CENTRE
  return { x: fraction(info.attentionX, thumbnail.width), y: fraction(info.attentionY, thumbnail.height) }
}

const scaledBy = ({ width, height }: Extent, scale: number): Extent => ({
  width: Math.max(1, Math.round(width * scale)),
  height: Math.max(1, Math.round(height * scale)),
})

const fraction = (at: number, length: number): number => Math.min(1, Math.max(0, at / length))
