/** Decoded pixels: 8-bit sRGB samples, interleaved row by row without padding; 1 grey, 2 grey + alpha, 3 RGB, 4 RGBA (alpha not premultiplied). */
export type Raster = {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
  readonly channels: 1 | 2 | 3 | 4
}

/** Whether any pixel is less than fully opaque; images without an alpha channel never are. */
export const hasTransparency = ({ data, channels }: Raster): boolean => {
  if (channels === 1 || channels === 3) return false
  for (let at = channels - 1; at < data.length; at += channels) if (data[at] !== 255) return true
  return false
}
