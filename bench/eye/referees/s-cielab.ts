/**
 * S-CIELAB (Zhang and Wandell, "A spatial extension of CIELAB for digital color image reproduction", 1997). Both images are filtered as the
 * eye blurs each opponent channel at a viewing distance. Then CIELAB's difference is taken at every pixel.
 */
import type { Raster } from '../../../src/core/image.ts'
import { labOf } from '../../../src/metric/artefacts/lab.ts'
import { linear, once, percentile99 } from './colour-difference.ts'
import { combine, filtered, gaussian, type Plane, planeOf } from './plane.ts'

/** px that one degree of the visual field covers: a screen of 96 px an inch seen from 60 cm. */
const PIXELS_A_DEGREE = 40

/** Weights and spreads (degrees) of the Gaussians of each opponent channel, from the paper. */
const KERNELS: readonly (readonly (readonly [weight: number, degrees: number])[])[] = [
  [
    [0.921, 0.0283],
    [0.105, 0.133],
    [-0.108, 4.336],
  ],
  [
    [0.531, 0.0392],
    [0.33, 0.494],
  ],
  [
    [0.488, 0.0536],
    [0.371, 0.386],
  ],
]

/** Linear sRGB to XYZ (IEC 61966-2-1), and XYZ to the opponent channels luminance, red-green and blue-yellow (the paper). */
const XYZ = [
  [0.4124564, 0.3575761, 0.1804375],
  [0.2126729, 0.7151522, 0.072175],
  [0.0193339, 0.119192, 0.9503041],
] as const
const OPPONENT = [
  [0.279, 0.72, -0.107],
  [-0.449, 0.29, -0.077],
  [0.086, -0.59, 0.501],
] as const

type Row = readonly [number, number, number]
type Matrix = readonly [Row, Row, Row]
const multiply = (a: Matrix, b: Matrix): Matrix => {
  const row = ([x, y, z]: Row): Row =>
    [0, 1, 2].map((i) => x * b[0][i]! + y * b[1][i]! + z * b[2][i]!) as unknown as Row
  return [row(a[0]), row(a[1]), row(a[2])]
}
const invert = ([[a, b, c], [d, e, f], [g, h, i]]: Matrix): Matrix => {
  const determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
  return [
    [(e * i - f * h) / determinant, (c * h - b * i) / determinant, (b * f - c * e) / determinant],
    [(f * g - d * i) / determinant, (a * i - c * g) / determinant, (c * d - a * f) / determinant],
    [(d * h - e * g) / determinant, (b * g - a * h) / determinant, (a * e - b * d) / determinant],
  ]
}
const TO_OPPONENT = multiply(OPPONENT, XYZ)
const FROM_OPPONENT = invert(TO_OPPONENT)

const LINEAR = Float64Array.from({ length: 256 }, (_, value) => linear(value))

/** Largest standard deviation (px) that is filtered at full size; wider Gaussians work on the image at a sixteenth. */
const MAX_FULL_SIGMA = 16
const COARSE = 16

/** Means of blocks of 16 x 16 px. */
const coarse = ({ width, height, data }: Plane): Plane => {
  const [across, down] = [Math.ceil(width / COARSE), Math.ceil(height / COARSE)]
  const sums = new Float32Array(across * down)
  const counts = new Float32Array(across * down)
  for (let at = 0; at < data.length; at++) {
    const block = Math.floor(at / width / COARSE) * across + Math.floor((at % width) / COARSE)
    sums[block]! += data[at]!
    counts[block]! += 1
  }
  return { width: across, height: down, data: sums.map((sum, i) => sum / counts[i]!) }
}

const blurred = (plane: Plane, sigma: number): Plane => {
  if (sigma <= MAX_FULL_SIGMA) return filtered(plane, gaussian(sigma))
  const small = filtered(coarse(plane), gaussian(sigma / COARSE))
  const data = Float32Array.from(plane.data, (_, at) => {
    const row = Math.floor(at / plane.width / COARSE)
    return small.data[row * small.width + Math.floor((at % plane.width) / COARSE)]!
  })
  return { ...plane, data }
}

const seen = (plane: Plane, channel: number): Plane => {
  const kernels = KERNELS[channel]!
  const total = kernels.reduce((sum, [weight]) => sum + weight, 0)
  return kernels
    .map(([weight, degrees]) => {
      // The paper's Gaussian is exp(-(r / spread)^2).
      const part = blurred(plane, (degrees * PIXELS_A_DEGREE) / Math.SQRT2)
      return { ...part, data: part.data.map((value) => (value * weight) / total) }
    })
    .reduce((sum, part) => combine(sum, part, (a, b) => a + b))
}

/** The filtered image: L*, a* and b* of every pixel. */
const labPlanes = (raster: Raster): readonly Float32Array[] => {
  const [o1, o2, o3] = TO_OPPONENT.map(([r, g, b], channel) =>
    seen(
      planeOf(raster, (red, green, blue) => r * LINEAR[red]! + g * LINEAR[green]! + b * LINEAR[blue]!),
      channel,
    ),
  )
  const planes = [0, 1, 2].map(() => new Float32Array(raster.width * raster.height))
  for (let at = 0; at < planes[0]!.length; at++) {
    const channels = [o1!.data[at]!, o2!.data[at]!, o3!.data[at]!] as const
    const [red, green, blue] = FROM_OPPONENT.map(([x, y, z]) => x * channels[0] + y * channels[1] + z * channels[2])
    const { l, a, b } = labOf(red!, green!, blue!)
    planes[0]![at] = l
    planes[1]![at] = a
    planes[2]![at] = b
  }
  return planes
}

const labOnce = once(labPlanes)

/** The 99th percentile over all pixels of S-CIELAB's difference of two images of one size. */
export const sCielab = (one: Raster, other: Raster): number => {
  const [a, b] = [labOnce(one), labPlanes(other)]
  const differences = a[0]!.map((_, at) =>
    Math.hypot(a[0]![at]! - b[0]![at]!, a[1]![at]! - b[1]![at]!, a[2]![at]! - b[2]![at]!),
  )
  return percentile99(differences)
}
