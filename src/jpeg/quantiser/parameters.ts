/** What is weighed how in an attempt. Every figure was found by measuring: see docs/jpeg-encoder.md. */
export type QuantiserParameters = {
  /** Bits that a squared error of one step is worth, luma and chroma. */
  lambda: number
  chromaLambda: number
  /** The same for DC; 0 rounds. */
  dcLambda: number
  /** Chroma's and DC's steps against the family's. */
  chromaScale: number
  dcScale: number
  /** Exponent that weights the steps at low qualities: below 0 high frequencies get finer, low ones coarser. */
  frequencyWeighting: number
  /** Masking: a block's weight is (mean over quadrants of 1 / (variance + floor)) to this power, about 1. */
  masking: number
  floor: number
  /** Bounds of that weight. */
  least: number
  most: number
  /** Exponent of frequency in the distortion's weight: above 0 high frequencies count more. */
  detail: number
  /** What rounds to 0 with this added is not considered at all. */
  bias: number
  /** How much of each component's lost luminance is made up for. */
  shift: readonly number[]
  /** Natural logarithms of factors on the steps of Y, Cb and Cr, zigzag order. */
  tableLogs: readonly (readonly number[])[]
  /** The same on the distortion's weights, luma and chroma. */
  distortionLogs: readonly (readonly number[])[]
}

/** The parameters in use. */
export const DEFAULT_PARAMETERS: QuantiserParameters = {
  lambda: 15,
  chromaLambda: 20,
  dcLambda: 8,
  chromaScale: 1,
  dcScale: 1,
  frequencyWeighting: -0.5,
  masking: 0.8,
  floor: 80,
  least: 0.25,
  most: 4,
  detail: 0,
  bias: 0.5,
  shift: [1, 0.5, 0],
  // biome-ignore format: zigzag order, 16 a line
  tableLogs: [
    [
      -0.32, -0.04, -0.04, 0.27, -0.14, 0.27, 0.07, 0.27, 0.27, 0.07, 0.06, 0.07, 0.23, 0.07, 0.06, -0.03,
      0.08, 0.23, 0.23, 0.08, -0.03, 0.08, 0.05, 0.2, 0.08, 0.2, 0.05, 0.08, 0.05, 0.07, 0.01, 0.01,
      0.01, 0.01, 0.07, 0.05, 0.06, 0.28, -0.01, 0.01, -0.01, 0.28, 0.06, 0.07, 0.13, -0.02, -0.02, 0.13,
      0.07, 0.04, 0.09, -0.08, 0.09, 0.04, 0.07, 0.05, 0.05, 0.07, 0.05, 0.06, 0.05, 0.03, 0.03, 0.08,
    ],
    [
      -0.6, -0.03, -0.03, 0.21, -0.09, 0.21, 0.11, 0.12, 0.12, 0.11, -0.06, -0.03, -0.26, -0.03, -0.06, -0.23,
      -0.04, -0.05, -0.05, -0.04, -0.23, -0.12, -0.16, -0.06, 0.16, -0.06, -0.16, -0.12, -0.02, 0.03, 0.03, -0.04,
      -0.04, 0.03, 0.03, -0.02, -0.11, 0, -0.11, -0.04, -0.11, 0, -0.11, -0.07, 0, 0.12, 0.12, 0,
      -0.07, -0.01, 0.01, -0.01, 0.01, -0.01, -0.03, -0, -0, -0.03, -0.09, -0.03, -0.09, -0.01, -0.01, 0,
    ],
    [
      -0.12, 0.29, 0.29, 0, 0.05, 0, 0.3, -0.32, -0.32, 0.3, 0.03, 0.07, 0.01, 0.07, 0.03, 0.03,
      0.06, 0.11, 0.11, 0.06, 0.03, 0.09, 0.09, 0.06, 0.07, 0.06, 0.09, 0.09, 0.01, 0.11, -0.08, 0.08,
      0.08, -0.08, 0.11, 0.01, 0.04, 0.09, 0.1, -0, 0.1, 0.09, 0.04, -0.03, -0, 0, 0, -0,
      -0.03, -0.01, 0.03, 0.08, 0.03, -0.01, 0, 0.03, 0.03, 0, -0, -0.01, -0, -0.01, -0.01, 0,
    ],
  ],
  // biome-ignore format: zigzag order, 16 a line
  distortionLogs: [
    [
      0, 0.15, 0.15, 0.01, 0.04, 0.01, -0.01, 0.46, 0.46, -0.01, -0.08, 0.5, 0.6, 0.5, -0.08, 0.07,
      -0, 0.52, 0.52, -0, 0.07, 0, 0.26, 0.19, 0.26, 0.19, 0.26, 0, 0.08, 0.11, 0.14, 0.26,
      0.26, 0.14, 0.11, 0.08, -0.1, -0.01, 0.17, 0.21, 0.17, -0.01, -0.1, -0.11, 0, 0.07, 0.07, 0,
      -0.11, -0.09, 0.05, 0.02, 0.05, -0.09, 0.02, -0.07, -0.07, 0.02, 0.03, -0.02, 0.03, -0.01, -0.01, -0,
    ],
    [
      0, 0.15, 0.15, 0.38, 0.14, 0.38, 0.11, 0.1, 0.1, 0.11, 0.03, -0.01, -0.02, -0.01, 0.03, 0.01,
      0.03, 0.05, 0.05, 0.03, 0.01, 0.04, 0.01, -0.05, -0.02, -0.05, 0.01, 0.04, -0.01, -0.01, 0.02, 0.02,
      0.02, 0.02, -0.01, -0.01, 0, -0, 0.05, 0, 0.05, -0, 0, 0.06, -0.02, 0.05, 0.05, -0.02,
      0.06, 0.01, -0, 0, -0, 0.01, -0, -0.01, -0.01, -0, 0.03, 0.02, 0.03, 0.01, 0.01, 0,
    ],
  ],
}
