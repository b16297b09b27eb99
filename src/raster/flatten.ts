import type { Raster, Rgb } from '../core/image.ts'

const WHITE: Rgb = { r: 255, g: 255, b: 255 }

/** Blends an image with a background colour (§2, bgcolor), in sRGB as browsers do. `transparent` counts as white. */
export const flatten = (pixels: Raster, background: Rgb | 'transparent'): Raster => {
  if (pixels.channels === 3) return pixels
  const { r, g, b } = background === 'transparent' ? WHITE : background
  const { data, width, height } = pixels
  const flat = new Uint8Array(width * height * 3)
  for (let from = 0, to = 0; to < flat.length; from += 4, to += 3) {
    const alpha = data[from + 3]!
    flat[to] = blend(data[from]!, r, alpha)
    flat[to + 1] = blend(data[from + 1]!, g, alpha)
    flat[to + 2] = blend(data[from + 2]!, b, alpha)
  }
  return { width, height, channels: 3, data: flat }
}

const blend = (over: number, under: number, alpha: number): number =>
  ((over * alpha + under * (255 - alpha) + 127) / 255) | 0

/** Converts an image to RGBA. Without alpha it becomes opaque. */
export const withAlpha = (pixels: Raster): Raster => {
  if (pixels.channels === 4) return pixels
  const { data, width, height } = pixels
  const rgba = new Uint8Array(width * height * 4).fill(255)
  for (let from = 0, to = 0; from < data.length; from += 3, to += 4) {
    rgba[to] = data[from]!
    rgba[to + 1] = data[from + 1]!
    rgba[to + 2] = data[from + 2]!
  }
  return { width, height, channels: 4, data: rgba }
}

/** Converts an opaque image to RGB. */
export const withoutAlpha = (pixels: Raster): Raster => {
  if (pixels.channels === 3) return pixels
  const { data, width, height } = pixels
  const rgb = new Uint8Array(width * height * 3)
  for (let from = 0, to = 0; to < rgb.length; from += 4, to += 3) {
    rgb[to] = data[from]!
    rgb[to + 1] = data[from + 1]!
    rgb[to + 2] = data[from + 2]!
  }
  return { width, height, channels: 3, data: rgb }
}
