import type { Raster } from '../core/image.ts'

type Encode = (pixels: Raster, setting: number) => Promise<Uint8Array>

/** What is tried next after a setting that was refused. */
const LOWER = 0.8

/**
 * An encoder that goes to a lower setting where one is refused: libwebp gives up where the description of an image's
 * blocks outgrows its 512 KB, which very large images of much detail do at high settings. Throws what the lowest throws.
 */
export const withLowerSetting =
  (encode: Encode): Encode =>
  async (pixels, setting) => {
    for (let at = setting; ; at = Math.floor(at * LOWER)) {
      try {
        return await encode(pixels, at)
      } catch (error) {
        if (at <= 1) throw error
      }
    }
  }
