import type { Raster } from '../core/image.ts'

type Encode = (pixels: Raster, setting: number) => Promise<Uint8Array>

/** Factor on a refused setting for the next trial. */
const LOWER = 0.8

/**
 * An encoder that lowers a setting that is refused. libwebp fails when the description of an image's blocks exceeds 512 KB, as it does for
 * very large, detailed images at high settings. Throws the error of the lowest setting.
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
