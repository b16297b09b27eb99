/** CIELAB's difference after both images are blurred: fine colour, which means over tiles do not see. */
import type { Raster } from '../../../src/core/image.ts'
import { type Lab, labOf } from '../../../src/metric/artefacts/lab.ts'
import { linear, once, percentile99 } from './colour-difference.ts'
import { filtered, gaussian, planeOf } from './plane.ts'

/** Standard deviation of the blur, px. */
const SIGMA = 1

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

const labOnce = once(blurredLab)

/** The 99th percentile over all pixels of CIELAB's difference after a blur of 1 px. */
export const blurredDifference = (one: Raster, other: Raster): number => {
  const [a, b] = [labOnce(one), blurredLab(other)]
  const differences = Float64Array.from(a, (lab, at) => {
    const { l, a: greenRed, b: blueYellow } = b[at]!
    return Math.hypot(lab.l - l, lab.a - greenRed, lab.b - blueYellow)
  })
  return percentile99(differences)
}
