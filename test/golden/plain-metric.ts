/**
 * SSIMULACRA 2.1 once more, in plain double-precision loops and straight from the definition: the yardstick for the kernel.
 * It shares nothing with the kernel but the pooling weights; it is slow (seconds per megapixel) and keeps whole planes.
 */

import type { AnyRaster } from '../../src/core/image.ts'
import { scoreOf } from '../../src/metric/ssimulacra2/score.ts'

interface Plane {
  readonly width: number
  readonly height: number
  readonly at: Float64Array
}
type Three = readonly [Plane, Plane, Plane]

const bias = 0.0037930732552754493
const taps = [0.2646211055, 0.212928592, 0.1093353728, 0.0360111147, 0.0094143678]
const c2 = 0.0009

const plane = (width: number, height: number, value: (x: number, y: number) => number): Plane => {
  const at = new Float64Array(width * height)
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) at[y * width + x] = value(x, y)
  return { width, height, at }
}

const each = (one: Plane, other: Plane, value: (a: number, b: number) => number): Plane =>
  plane(one.width, one.height, (x, y) => value(one.at[y * one.width + x]!, other.at[y * one.width + x]!))

const toLinear = (v: number): number => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)

/** Linear light 0..1 of one channel (0 red, 1 green, 2 blue), composited in sRGB on a grey when there is alpha. */
const linearPlane = (image: AnyRaster, channel: number, grey: number): Plane =>
  plane(image.width, image.height, (x, y) => {
    const start = (y * image.width + x) * image.channels
    const value = image.data[start + (image.channels > 2 ? channel : 0)]! / 255
    const alpha = image.channels % 2 === 0 ? image.data[start + image.channels - 1]! / 255 : 1
    return toLinear(alpha * value + (1 - alpha) * grey)
  })

const halve = (p: Plane): Plane =>
  plane(Math.ceil(p.width / 2), Math.ceil(p.height / 2), (x, y) => {
    const right = Math.min(2 * x + 1, p.width - 1)
    const below = Math.min(2 * y + 1, p.height - 1)
    const top = 2 * y * p.width
    const bottom = below * p.width
    return (p.at[top + 2 * x]! + p.at[top + right]! + p.at[bottom + 2 * x]! + p.at[bottom + right]!) / 4
  })

const xyb = ([red, green, blue]: Three): Three => {
  const mix = (r: number, g: number, b: number) =>
    plane(red.width, red.height, (x, y) => {
      const i = y * red.width + x
      return Math.cbrt(r * red.at[i]! + g * green.at[i]! + b * blue.at[i]! + bias) - Math.cbrt(bias)
    })
  const long = mix(0.3, 0.622, 0.078)
  const middle = mix(0.23, 0.692, 0.078)
  const short = mix(0.24342268924547819, 0.20476744424496821, 0.55180986650955)
  const y = each(long, middle, (l, m) => (l + m) / 2)
  return [
    each(long, middle, (l, m) => 7 * (l - m) + 0.42),
    each(y, y, (a) => a + 0.01),
    each(short, y, (s, a) => s - a + 0.55),
  ]
}

const blurAlong = (p: Plane, dx: number, dy: number): Plane =>
  plane(p.width, p.height, (x, y) => {
    let sum = 0
    for (let k = -4; k <= 4; k++) {
      const [u, v] = [x + k * dx, y + k * dy]
      if (u >= 0 && v >= 0 && u < p.width && v < p.height) sum += taps[Math.abs(k)]! * p.at[v * p.width + u]!
    }
    return sum
  })

const blur = (p: Plane): Plane => blurAlong(blurAlong(p, 1, 0), 0, 1)

/** Sums over one channel of one scale: ssim, ringing, blurring, then the sums of their 4th powers. */
const sumsOf = (a: Plane, b: Plane): number[] => {
  const times = (one: Plane, other: Plane) => blur(each(one, other, (x, y) => x * y))
  const [m1, m2, q11, q22, q12] = [blur(a), blur(b), times(a, a), times(b, b), times(a, b)]
  const sums = [0, 0, 0, 0, 0, 0]
  a.at.forEach((v, i) => {
    const [u, w] = [m1.at[i]!, m2.at[i]!]
    const structure = (2 * (q12.at[i]! - u * w) + c2) / (q11.at[i]! - u * u + q22.at[i]! - w * w + c2)
    const edge = (1 + Math.abs(b.at[i]! - w)) / (1 + Math.abs(v - u)) - 1
    const maps = [Math.max(0, 1 - (1 - (u - w) ** 2) * structure), Math.max(edge, 0), Math.max(-edge, 0)]
    maps.forEach((value, map) => {
      sums[map]! += value
      sums[map + 3]! += value ** 4
    })
  })
  return sums
}

const scoreOnGrey = (reference: AnyRaster, candidate: AnyRaster, grey: number): number => {
  const linear = (image: AnyRaster): Three => [0, 1, 2].map((c) => linearPlane(image, c, grey)) as unknown as Three
  const halved = (planes: Three): Three => planes.map(halve) as unknown as Three
  const pixels: number[] = []
  const sums: number[] = []
  let [a, b] = [linear(reference), linear(candidate)]
  for (let scale = 0; scale < 6; scale++) {
    if (Math.min(a[0].width, a[0].height) < 8) break
    if (scale > 0) [a, b] = [halved(a), halved(b)]
    const [one, other] = [xyb(a), xyb(b)]
    sums.push(...[0, 1, 2].flatMap((c) => sumsOf(one[c]!, other[c]!)))
    pixels.push(a[0].width * a[0].height)
  }
  return scoreOf({ sums, pixels })
}

/** The score by definition, of two images of one size, both sides at least 8 px; with alpha the worse of two greys. */
export const plainScore = (reference: AnyRaster, candidate: AnyRaster): number =>
  Math.min(...[0.1, 0.9].map((grey) => scoreOnGrey(reference, candidate, grey)))
