import type { AnyRaster } from '../../core/image.ts'

/** Luma (Rec. 601 weights, gamma-encoded) in 1/16 of a sample value, row by row: 0..4080. */
export interface LumaPlane {
  readonly data: Int16Array
  readonly width: number
  readonly height: number
}

/** Weights of red, green and blue in 1/4096, so that a shift by 8 leaves 1/16. */
const [RED, GREEN, BLUE] = [1225, 2404, 467]

/** Composited on a background of 0 (black) or 255 (white) where there is alpha; undefined: alpha is ignored. */
export const lumaOf = (image: AnyRaster, background?: number): LumaPlane => {
  const { data: samples, width, height, channels } = image
  const data = new Int16Array(width * height)
  const [green, blue] = channels > 2 ? [1, 2] : [0, 0]
  const alphaAt = channels - 1
  const composited = background !== undefined && (channels === 2 || channels === 4)
  for (let i = 0, from = 0; i < data.length; i++, from += channels) {
    const luma = (samples[from]! * RED + samples[from + green]! * GREEN + samples[from + blue]! * BLUE) >> 8
    data[i] = composited
      ? ((luma * samples[from + alphaAt]! + background * 16 * (255 - samples[from + alphaAt]!)) / 255) | 0
      : luma
  }
  return { data, width, height }
}

/** The plane as it is seen at a density: the mean of so many px each way; what is left over at the right and bottom is dropped. */
export const shrinkLuma = (plane: LumaPlane, by: number): LumaPlane => {
  if (by === 1) return plane
  const width = Math.max(1, Math.floor(plane.width / by))
  const height = Math.max(1, Math.floor(plane.height / by))
  const data = new Int16Array(width * height)
  const [across, down] = [Math.min(by, plane.width), Math.min(by, plane.height)]
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let sum = 0
      for (let row = 0; row < down; row++) {
        const from = (y * by + row) * plane.width + x * by
        for (let column = 0; column < across; column++) sum += plane.data[from + column]!
      }
      data[y * width + x] = sum / (across * down)
    }
  }
  return { data, width, height }
}
