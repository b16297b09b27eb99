import type { Extent, Raster } from '../../core/image.ts'

/**
 * sRGB of cyan, magenta, yellow and black ink (4 samples a pixel, 255 is full ink) of which no profile tells more: each ink takes
 * its share of light away, as browsers have it. A press profile in its place would show other colours than the source does.
 */
export const fromInks = ({ width, height, data }: Extent & { readonly data: Uint8Array }): Raster => {
  const out = new Uint8Array(width * height * 3)
  for (let from = 0, to = 0; to < out.length; from += 4, to += 3) {
    const light = 255 - data[from + 3]!
    for (let ink = 0; ink < 3; ink++) out[to + ink] = Math.round(((255 - data[from + ink]!) * light) / 255)
  }
  return { width, height, channels: 3, data: out }
}
