import type { Extent, Raster } from '../../core/image.ts'

/**
 * Converts CMYK without a profile (4 samples per pixel, 255 is full ink) to sRGB. Each ink removes its share of the light, as in browsers.
 * A press profile would show other colours than browsers do for the source.
 */
export const fromInks = ({ width, height, data }: Extent & { readonly data: Uint8Array }): Raster => {
  const out = new Uint8Array(width * height * 3)
  for (let from = 0, to = 0; to < out.length; from += 4, to += 3) {
    const light = 255 - data[from + 3]!
    for (let ink = 0; ink < 3; ink++) out[to + ink] = Math.round(((255 - data[from + ink]!) * light) / 255)
  }
  return { width, height, channels: 3, data: out }
}
