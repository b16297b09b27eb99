/** Luminance and chrominance tables of the JPEG standard (Annex K), in zigzag order: quality 50 on the IJG scale. */
const LUMINANCE = [
  16, 11, 12, 14, 12, 10, 16, 14, 13, 14, 18, 17, 16, 19, 24, 40, 26, 24, 22, 22, 24, 49, 35, 37, 29, 40, 58, 51, 61,
  60, 57, 51, 56, 55, 64, 72, 92, 78, 64, 68, 87, 69, 55, 56, 80, 109, 81, 87, 95, 98, 103, 104, 103, 62, 77, 113, 121,
  112, 100, 120, 92, 101, 103, 99,
] as const
const CHROMINANCE = [
  17, 18, 18, 24, 21, 24, 47, 26, 26, 47, 99, 66, 56, 66, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
  99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
  99, 99, 99, 99, 99, 99,
] as const

/** 64 divisors in zigzag order, as in a DQT segment. */
export type QuantTable = readonly number[]

/** The IJG's scaling of the standard table to quality 1..100. */
const scaled = (base: number, quality: number): number => {
  const percent = quality < 50 ? Math.floor(5000 / quality) : 200 - quality * 2
  return Math.min(255, Math.max(1, Math.floor((base * percent + 50) / 100)))
}

/** Returns the sum of relative differences between a table and the standard table at a quality. Stops above `limit`. */
const distance = (table: QuantTable, standard: readonly number[], quality: number, limit: number): number => {
  let sum = 0
  for (let i = 0; i < standard.length && sum <= limit; i++) {
    const expected = scaled(standard[i]!, quality)
    sum += Math.abs((table[i] ?? 0) - expected) / (expected + 1)
  }
  return sum
}

/**
 * The IJG quality 1..100 whose standard tables are nearest to these: exact for files of libjpeg, an estimate for other encoders.
 * Differences are relative, since absolute ones would weigh only the coarse high frequencies.
 */
export const estimateQuality = (luminance: QuantTable, chrominance: QuantTable | undefined): number => {
  let best = { quality: 100, distance: Number.POSITIVE_INFINITY }
  for (let quality = 100; quality >= 1 && best.distance > 0; quality--) {
    const luma = distance(luminance, LUMINANCE, quality, best.distance)
    const chroma = chrominance === undefined ? 0 : distance(chrominance, CHROMINANCE, quality, best.distance - luma)
    const sum = luma + chroma
    if (sum < best.distance) best = { quality, distance: sum }
  }
  return best.quality
}
