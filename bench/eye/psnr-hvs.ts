import type { Raster } from '../../src/core/image.ts'

/** Contrast sensitivity of the 64 frequencies of an 8 x 8 DCT (Egiazarian, Astola, Ponomarenko et al., "New full-reference quality metrics based on HVS", 2006). */
// biome-ignore format: one row per vertical frequency
const SENSITIVITY = [
  1.608443, 2.339554, 2.573509, 1.608443, 1.072295, 0.643377, 0.50461, 0.421887,
  2.144591, 2.144591, 1.838221, 1.354478, 0.989811, 0.443708, 0.428918, 0.467911,
  1.838221, 1.979622, 1.608443, 1.072295, 0.643377, 0.451493, 0.372972, 0.459555,
  1.838221, 1.513829, 1.169777, 0.887417, 0.50461, 0.295806, 0.321689, 0.415082,
  1.429727, 1.169777, 0.695543, 0.459555, 0.378457, 0.236102, 0.249855, 0.334222,
  1.072295, 0.735288, 0.467911, 0.402111, 0.317717, 0.247453, 0.227744, 0.279729,
  0.525206, 0.402111, 0.329937, 0.295806, 0.249855, 0.212687, 0.214459, 0.254803,
  0.357432, 0.279729, 0.270896, 0.262603, 0.229778, 0.257351, 0.249855, 0.25995,
]

const COSINES = Float64Array.from({ length: 64 }, (_, i) => {
  const [frequency, x] = [i >> 3, i & 7]
  return Math.cos(((2 * x + 1) * frequency * Math.PI) / 16) * (frequency === 0 ? Math.SQRT1_2 : 1) * 0.5
})

const lumaAt = ({ data, channels }: Raster, pixel: number): number => {
  const at = pixel * channels
  return 0.299 * data[at]! + 0.587 * data[at + 1]! + 0.114 * data[at + 2]!
}

const transform = (block: Float64Array, between: Float64Array, to: Float64Array): void => {
  for (let i = 0; i < 64; i++) {
    let sum = 0
    for (let k = 0; k < 8; k++) sum += block[(i & 56) + k]! * COSINES[((i & 7) << 3) + k]!
    between[i] = sum
  }
  for (let i = 0; i < 64; i++) {
    let sum = 0
    for (let k = 0; k < 8; k++) sum += between[(k << 3) + (i & 7)]! * COSINES[(i & 56) + k]!
    to[i] = sum
  }
}

/** 100 / Q^2 of the luma table of ISO/IEC 10918-1, annex K: how much a coefficient hides others (Ponomarenko et al., "On between-coefficient contrast masking of DCT basis functions", 2007). */
// biome-ignore format: one row per vertical frequency
const LUMA_STEPS = [
  16, 11, 10, 16, 24, 40, 51, 61,
  12, 12, 14, 19, 26, 58, 60, 55,
  14, 13, 16, 24, 40, 57, 69, 56,
  14, 17, 22, 29, 51, 87, 80, 62,
  18, 22, 37, 56, 68, 109, 103, 77,
  24, 35, 55, 64, 81, 104, 113, 92,
  49, 64, 78, 87, 103, 121, 120, 101,
  72, 92, 95, 98, 112, 100, 103, 99,
]
const MASKING = LUMA_STEPS.map((step) => 100 / step ** 2)

/** Sum of squared differences from the mean of those samples of a block that `isIn`. */
const spreadOf = (block: Float64Array, isIn: (i: number) => boolean): number => {
  const samples = block.filter((_, i) => isIn(i))
  const mean = samples.reduce((sum, value) => sum + value, 0) / samples.length
  return samples.reduce((sum, value) => sum + (value - mean) ** 2, 0)
}

/** Masking of a block: its weighted energy, less where the block has an edge and is no texture. */
const maskOf = (block: Float64Array, dct: Float64Array): number => {
  const whole = spreadOf(block, () => true)
  if (whole === 0) return 0
  const quarters = [0, 1, 2, 3].map((q) => spreadOf(block, (i) => (i >> 5) * 2 + ((i & 7) >> 2) === q))
  const energy = dct.reduce((sum, value, i) => sum + (i === 0 ? 0 : value * value * MASKING[i]!), 0)
  return Math.sqrt((energy * quarters.reduce((sum, one) => sum + one, 0)) / whole) / 32
}

/** Largest masking of two blocks, from the samples of both. */
type Hidden = (one: Float64Array, other: Float64Array) => number

const openHidden = (): Hidden => {
  const [between, dct] = [new Float64Array(64), new Float64Array(64)]
  return (one, other) =>
    Math.max(
      ...[one, other].map((block) => {
        transform(block, between, dct)
        return maskOf(block, dct)
      }),
    )
}

const psnr = (one: Raster, other: Raster, hidden: Hidden): number => {
  const [a, b, block, between, dct] = Array.from({ length: 5 }, () => new Float64Array(64)) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ]
  let [sum, blocks] = [0, 0]
  for (let top = 0; top + 8 <= one.height; top += 8) {
    for (let left = 0; left + 8 <= one.width; left += 8, blocks++) {
      for (let i = 0; i < 64; i++) {
        const pixel = (top + (i >> 3)) * one.width + left + (i & 7)
        a[i] = lumaAt(one, pixel)
        b[i] = lumaAt(other, pixel)
        block[i] = a[i]! - b[i]!
      }
      transform(block, between, dct)
      const mask = hidden(a, b)
      for (let i = 0; i < 64; i++) {
        const seen = i === 0 ? Math.abs(dct[i]!) : Math.max(0, Math.abs(dct[i]!) - mask / MASKING[i]!)
        sum += (seen * SENSITIVITY[i]!) ** 2
      }
    }
  }
  return 10 * Math.log10((255 * 255 * 64 * blocks) / sum)
}

/** PSNR-HVS of the luma of two images of one size, in dB: the error's DCT weighed by contrast sensitivity, over whole 8 x 8 blocks. */
export const psnrHvs = (one: Raster, other: Raster): number => psnr(one, other, () => 0)

/** PSNR-HVS-M, likewise: errors count by what exceeds the masking by the block's other coefficients. */
export const psnrHvsM = (one: Raster, other: Raster): number => psnr(one, other, openHidden())
