/** CIELAB's difference after both images are blurred: fine colour, which means over tiles do not see. */
import type { Raster } from '../../../src/core/image.ts'
import { type Lab, labOf } from '../../../src/metric/artefacts/lab.ts'
import { filtered, gaussian, planeOf } from './plane.ts'

/** Standard deviation of the blur, px. */
const SIGMA = 1

/** Linear light of a code value, 0..255 and not whole. */
const linear = (value: number): number => {
  const v = value / 255
  return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4
}

/** CIELAB of every pixel after a blur of the code values. */
const blurredLab = (raster: Raster): readonly Lab[] => {
  const channel = (c: number) =>
    filtered(
      planeOf(raster, (...rgb) => rgb[c]!),
      gaussian(SIGMA),
    ).data
  const [red, green, blue] = [channel(0), channel(1), channel(2)]
  return Array.from(red, (value, at) => labOf(linear(value), linear(green[at]!), linear(blue[at]!)))
}

const known = new WeakMap<Raster, readonly Lab[]>()
const labOnce = (raster: Raster): readonly Lab[] => {
  const lab = known.get(raster) ?? blurredLab(raster)
  known.set(raster, lab)
  return lab
}

/** The 99th percentile over all pixels of CIELAB's difference after a blur of 1 px. */
export const blurredDifference = (one: Raster, other: Raster): number => {
  const [a, b] = [labOnce(one), blurredLab(other)]
  const differences = Float64Array.from(a, (lab, at) => {
    const { l, a: greenRed, b: blueYellow } = b[at]!
    return Math.hypot(lab.l - l, lab.a - greenRed, lab.b - blueYellow)
  })
  return differences.toSorted()[Math.floor(differences.length * 0.99)]!
}
