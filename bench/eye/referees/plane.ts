import type { Extent, Raster } from '../../../src/core/image.ts'

/** One channel of an image. */
export interface Plane extends Extent {
  readonly data: Float32Array<ArrayBuffer>
}

/** A plane of one value per pixel: `valueAt` receives the R, G and B samples, 0..255. */
export const planeOf = (
  { width, height, channels, data }: Raster,
  valueAt: (red: number, green: number, blue: number) => number,
): Plane => ({
  width,
  height,
  data: Float32Array.from({ length: width * height }, (_, pixel) => {
    const at = pixel * channels
    return valueAt(data[at]!, data[at + 1]!, data[at + 2]!)
  }),
})

/** Luma of ITU-R BT.601, 0..255. */
export const lumaOf = (raster: Raster): Plane => planeOf(raster, (r, g, b) => 0.299 * r + 0.587 * g + 0.114 * b)

/** The plane in which each value is made of those of two planes of one size. */
export const combine = (one: Plane, other: Plane, value: (a: number, b: number) => number): Plane => ({
  ...one,
  data: one.data.map((a, i) => value(a, other.data[i]!)),
})

/** Every second pixel of every second row. */
export const halved = ({ width, height, data }: Plane): Plane => {
  const [across, down] = [width >> 1, height >> 1]
  return {
    width: across,
    height: down,
    data: Float32Array.from(
      { length: across * down },
      (_, i) => data[2 * Math.floor(i / across) * width + 2 * (i % across)]!,
    ),
  }
}

/** A symmetric filter of odd length along rows, then along columns; beyond its edges an image goes on as at them. */
export const filtered = ({ width, height, data }: Plane, taps: Float64Array): Plane => {
  const reach = taps.length >> 1
  const across = new Float32Array(data.length)
  const row = new Float32Array(width + 2 * reach)
  for (let y = 0; y < height; y++) {
    const line = data.subarray(y * width, (y + 1) * width)
    row.fill(line[0]!, 0, reach)
    row.set(line, reach)
    row.fill(line[width - 1]!, reach + width)
    for (let x = 0; x < width; x++) {
      let sum = 0
      for (let k = 0; k < taps.length; k++) sum += taps[k]! * row[x + k]!
      across[y * width + x] = sum
    }
  }
  const down = new Float32Array(data.length)
  const sums = new Float64Array(width)
  for (let y = 0; y < height; y++) {
    sums.fill(0)
    for (let k = -reach; k <= reach; k++) {
      const from = Math.max(0, Math.min(height - 1, y + k)) * width
      const tap = taps[k + reach]!
      for (let x = 0; x < width; x++) sums[x]! += tap * across[from + x]!
    }
    down.set(sums, y * width)
  }
  return { width, height, data: down }
}

/** Taps of a Gaussian of standard deviation `sigma` px, cut at `reach` px, whose sum is 1. */
export const gaussian = (sigma: number, reach = Math.ceil(3 * sigma)): Float64Array => {
  const taps = Float64Array.from({ length: 2 * reach + 1 }, (_, i) => Math.exp(-((i - reach) ** 2) / (2 * sigma ** 2)))
  const sum = taps.reduce((total, tap) => total + tap, 0)
  return taps.map((tap) => tap / sum)
}

/** Mean of an array. */
export const mean = (values: Float32Array): number => values.reduce((sum, value) => sum + value, 0) / values.length
