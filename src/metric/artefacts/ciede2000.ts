import type { Lab } from './lab.ts'

/** rad. */
const DEGREE = Math.PI / 180

/** `Math.hypot` takes ten times as long. */
const chromaOf = (a: number, b: number): number => Math.sqrt(a * a + b * b)

/** Hue in degrees 0..360; 0 for grey. */
const hueOf = (a: number, b: number): number => {
  if (a === 0 && b === 0) return 0
  const hue = Math.atan2(b, a) / DEGREE
  return hue < 0 ? hue + 360 : hue
}

/** The shorter way from one hue to another, -180..180 degrees; 0 where either colour is grey. */
const hueStep = (from: number, to: number, chromaProduct: number): number => {
  if (chromaProduct === 0) return 0
  const step = to - from
  return step > 180 ? step - 360 : step < -180 ? step + 360 : step
}

const meanHue = (one: number, other: number, chromaProduct: number): number => {
  if (chromaProduct === 0) return one + other
  if (Math.abs(one - other) <= 180) return (one + other) / 2
  return one + other < 360 ? (one + other + 360) / 2 : (one + other - 360) / 2
}

const chromaWeight = (chroma: number): number => {
  const seventh = chroma ** 7
  return Math.sqrt(seventh / (seventh + 25 ** 7))
}

const hueWeight = (hue: number): number =>
  1 -
  0.17 * Math.cos((hue - 30) * DEGREE) +
  0.24 * Math.cos(2 * hue * DEGREE) +
  0.32 * Math.cos((3 * hue + 6) * DEGREE) -
  0.2 * Math.cos((4 * hue - 63) * DEGREE)

/** The colour difference CIEDE2000 with all factors 1 (CIE 142-2001; formulas after Sharma, Wu and Dalal 2005): 1 is just seen side by side. */
export const ciede2000 = (one: Lab, other: Lab): number => {
  const widening = 1.5 - 0.5 * chromaWeight((chromaOf(one.a, one.b) + chromaOf(other.a, other.b)) / 2)
  // Until V8 compiles this for speed, to destructure arrays takes longer than all sines.
  const a1 = one.a * widening
  const a2 = other.a * widening
  const c1 = chromaOf(a1, one.b)
  const c2 = chromaOf(a2, other.b)
  const h1 = hueOf(a1, one.b)
  const h2 = hueOf(a2, other.b)
  const product = c1 * c2

  const lightness = (one.l + other.l) / 2
  const chroma = (c1 + c2) / 2
  const hue = meanHue(h1, h2, product)
  const fromMiddle = (lightness - 50) ** 2

  const byLightness = (other.l - one.l) / (1 + (0.015 * fromMiddle) / Math.sqrt(20 + fromMiddle))
  const byChroma = (c2 - c1) / (1 + 0.045 * chroma)
  const hueDifference = 2 * Math.sqrt(product) * Math.sin((hueStep(h1, h2, product) / 2) * DEGREE)
  const byHue = hueDifference / (1 + 0.015 * chroma * hueWeight(hue))
  const turn = 60 * DEGREE * Math.exp(-(((hue - 275) / 25) ** 2))
  const rotation = -2 * chromaWeight(chroma) * Math.sin(turn)
  return Math.sqrt(byLightness ** 2 + byChroma ** 2 + byHue ** 2 + rotation * byChroma * byHue)
}
