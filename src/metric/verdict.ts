import type { ScaleShape } from './scales.ts'
import { scoreOf } from './score.ts'

/** What the metric says of a candidate: the score of the whole, and of its worst region of about 256 x 256 px. */
export type Verdict = { readonly score: number; readonly worst: number }

const regionSide = 256
const valuesPerRegion = 6 * 3 * 6

/** How many regions an image of so many px is cut into along one side; the last one takes the rest. */
const regionsAlong = (length: number): number => Math.max(1, Math.floor(length / regionSide))

/** Doubles that the kernel has summed for an image. */
export const sumsLength = (width: number, height: number): number =>
  regionsAlong(width) * regionsAlong(height) * valuesPerRegion

/** Pixels of region `index` of `count` along a side that is `length` px long at this scale. */
const extentOf = (index: number, count: number, length: number, scale: number): number => {
  const side = regionSide >> scale
  return index === count - 1 ? length - index * side : side
}

type Extent = (shape: ScaleShape, scale: number) => number

const scoreSums = (sums: Float64Array, shapes: readonly ScaleShape[], pixelsOf: Extent): number =>
  scoreOf(
    shapes.map((shape, scale) => ({
      pixels: pixelsOf(shape, scale),
      channels: [0, 1, 2].map((channel) => [
        ...sums.subarray((scale * 3 + channel) * 6, (scale * 3 + channel) * 6 + 6),
      ]),
    })),
  )

const addUp = (sums: Float64Array): Float64Array => {
  const whole = new Float64Array(valuesPerRegion)
  sums.forEach((value, i) => {
    whole[i % valuesPerRegion]! += value
  })
  return whole
}

/** Both scores from the kernel's sums (regions in rows > 6 scales > 3 channels > 6 maps). */
export const verdictOf = (sums: Float64Array, shapes: readonly ScaleShape[]): Verdict => {
  const across = regionsAlong(shapes[0]!.width)
  const down = regionsAlong(shapes[0]!.height)
  let worst = Number.POSITIVE_INFINITY
  for (let region = 0; region < across * down; region++) {
    const own = sums.subarray(region * valuesPerRegion, (region + 1) * valuesPerRegion)
    const pixelsOf: Extent = ({ width, height }, scale) =>
      extentOf(region % across, across, width, scale) * extentOf(Math.floor(region / across), down, height, scale)
    worst = Math.min(worst, scoreSums(own, shapes, pixelsOf))
  }
  const score = scoreSums(addUp(sums), shapes, ({ width, height }) => width * height)
  return { score, worst: Math.min(score, worst) }
}

/** The worse of two verdicts, figure by figure. */
export const worseOf = (one: Verdict, other: Verdict): Verdict => ({
  score: Math.min(one.score, other.score),
  worst: Math.min(one.worst, other.worst),
})
