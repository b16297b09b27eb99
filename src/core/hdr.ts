/** Luminances of HDR, and the curve PQ. */

/** Luminances in cd/m2. */
export const NITS = {
  /** Diffuse white, which is document white (ITU-R BT.2408). */
  white: 203,
  /** The display that HLG is made for (ITU-R BT.2100, table 5), and our default peak. */
  hlgPeak: 1000,
  /** The largest code value of PQ (SMPTE ST 2084). */
  pqPeak: 10_000,
} as const

/** HLG (ITU-R BT.2100, table 5, after ARIB STD-B67). */
export const HLG = {
  /** Constants of the transfer function. */
  a: 0.17883277,
  b: 0.28466892,
  c: 0.55991073,
  /** System gamma on a display of 1000 cd/m2, minus one: the exponent of luminance that scales light. */
  luminanceExponent: 0.2,
} as const

/** Transfer functions by code point (ITU-T H.273, table 3). */
export const TRANSFER = { unspecified: 2, linear: 8, srgb: 13, pq: 16, hlg: 18 } as const

/** Constants of SMPTE ST 2084, equation 5.1 (ITU-R BT.2100, table 4). */
const ST_2084 = {
  m1: 2610 / 16384,
  m2: (2523 / 4096) * 128,
  c1: 3424 / 4096,
  c2: (2413 / 4096) * 32,
  c3: (2392 / 4096) * 32,
} as const

/** cd/m2 of a PQ sample of 0..1. */
export const fromPq = (sample: number): number => {
  const { m1, m2, c1, c2, c3 } = ST_2084
  const root = sample ** (1 / m2)
  return (Math.max(0, root - c1) / (c2 - c3 * root)) ** (1 / m1) * NITS.pqPeak
}

/** The PQ sample, 0..1, of a luminance in cd/m2. */
export const toPq = (nits: number): number => {
  const { m1, m2, c1, c2, c3 } = ST_2084
  const y = (Math.min(NITS.pqPeak, Math.max(0, nits)) / NITS.pqPeak) ** m1
  return ((c1 + c2 * y) / (1 + c3 * y)) ** m2
}
