import type { Extent } from '../core/image.ts'
import type { Placement } from './placement.ts'

/** One of the two compared images, and its position in px of the result. */
export interface Drawn {
  readonly media: HTMLImageElement | HTMLVideoElement
  readonly placement: Placement
}

/** Maximum px of a canvas side. Browsers may refuse larger ones. */
const MAX_CANVAS_SIDE = 4096

const ready = async (media: Drawn['media']): Promise<void> => {
  if (media instanceof HTMLImageElement) await media.decode()
  else if (media.readyState < HTMLMediaElement.HAVE_CURRENT_DATA)
    await new Promise((done) => media.addEventListener('loadeddata', done, { once: true }))
}

/** Draws the absolute difference of two images per channel. A CSS filter amplifies it. */
export const drawDifference = async (
  canvas: HTMLCanvasElement,
  size: Extent,
  drawn: readonly [Drawn, Drawn],
): Promise<void> => {
  await Promise.all(drawn.map(({ media }) => ready(media)))
  const scale = Math.min(1, MAX_CANVAS_SIDE / size.width, MAX_CANVAS_SIDE / size.height)
  canvas.width = Math.max(1, Math.round(size.width * scale))
  canvas.height = Math.max(1, Math.round(size.height * scale))
  const context = canvas.getContext('2d')
  if (context === null) return
  context.fillStyle = '#000'
  context.fillRect(0, 0, canvas.width, canvas.height)
  for (const { media, placement } of drawn) {
    context.globalCompositeOperation = 'difference'
    context.imageSmoothingQuality = 'high'
    context.drawImage(
      media,
      placement.left * scale,
      placement.top * scale,
      placement.width * scale,
      placement.height * scale,
    )
  }
}
