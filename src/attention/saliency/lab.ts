import type { View } from '../view.ts'
import { CELLS, type Plane } from './grid.ts'

/** The grid in CIE L*a*b* (D65): L, a, b. */
export type LabImage = readonly [Plane, Plane, Plane]

const LINEAR = Float64Array.from({ length: 256 }, (_, byte) => {
  const value = byte / 255
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
})

const compress = (t: number): number => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116)

/** L*a*b* of a view of the grid's size. */
export const toLab = ({ data }: View): LabImage => {
  const lab: LabImage = [new Float32Array(CELLS), new Float32Array(CELLS), new Float32Array(CELLS)]
  for (let at = 0; at < CELLS; at++) {
    const x = Math.fround(compress(mix(data, at, 0.4124, 0.3576, 0.1805) / 0.95047))
    const y = Math.fround(compress(mix(data, at, 0.2126, 0.7152, 0.0722)))
    const z = Math.fround(compress(mix(data, at, 0.0193, 0.1192, 0.9505) / 1.08883))
    lab[0][at] = 116 * y - 16
    lab[1][at] = 500 * (x - y)
    lab[2][at] = 200 * (y - z)
  }
  return lab
}

const mix = (data: Uint8Array, at: number, r: number, g: number, b: number): number =>
  r * LINEAR[data[3 * at]!]! + g * LINEAR[data[3 * at + 1]!]! + b * LINEAR[data[3 * at + 2]!]!
