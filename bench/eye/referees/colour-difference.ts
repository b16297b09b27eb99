import type { Raster } from '../../../src/core/image.ts'

/** Linear light, 0..1, of an sRGB code value, 0..255 and perhaps not whole (IEC 61966-2-1). */
export const linear = (value: number): number => {
  const v = value / 255
  return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4
}

/** The same function that works once for each raster. */
export const once = <Value extends object>(make: (raster: Raster) => Value): ((raster: Raster) => Value) => {
  const known = new WeakMap<Raster, Value>()
  return (raster) => {
    const value = known.get(raster) ?? make(raster)
    known.set(raster, value)
    return value
  }
}

/** The 99th percentile of the differences of all pixels. */
export const percentile99 = (differences: Float32Array | Float64Array): number =>
  differences.toSorted()[Math.floor(differences.length * 0.99)]!
