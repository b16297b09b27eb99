import type { Extent, Raster, Rgb } from '../core/image.ts'
import { withAlpha } from './flatten.ts'

/**
 * Places an image on a canvas of a background colour (§2, pad). Transparency inside the image stays, and the encoder flattens or keeps it.
 * A transparent canvas gives RGBA.
 */
export const padOnto = (
  pixels: Raster,
  canvas: Extent & { readonly left: number; readonly top: number },
  background: Rgb | 'transparent',
): Raster => {
  const image = background === 'transparent' ? withAlpha(pixels) : pixels
  const { channels } = image
  const data = new Uint8Array(canvas.width * canvas.height * channels)
  if (background !== 'transparent') fillWith(data, background, channels)
  for (let row = 0; row < image.height; row++) {
    const to = ((canvas.top + row) * canvas.width + canvas.left) * channels
    const from = row * image.width * channels
    data.set(image.data.subarray(from, from + image.width * channels), to)
  }
  return { width: canvas.width, height: canvas.height, channels, data }
}

const fillWith = (data: Uint8Array, { r, g, b }: Rgb, channels: 3 | 4): void => {
  const colour = channels === 4 ? [r, g, b, 255] : [r, g, b]
  data.set(colour)
  for (let filled = channels as number; filled < data.length; filled *= 2) {
    data.copyWithin(filled, 0, Math.min(filled, data.length - filled))
  }
}
